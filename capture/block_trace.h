/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the BPF object and user space share: the event that one I/O becomes, the table of those
 * under way, and the counters. C, included by both; sizes and offsets are the same on both sides.
 */
#ifndef RIGEL_BLOCK_TRACE_H
#define RIGEL_BLOCK_TRACE_H

#include <linux/types.h>

#define RIGEL_COMM_BYTES 16
#define RIGEL_WAYS 8       /* I/Os to a bucket; their keys fill one cache line */
#define RIGEL_BUCKETS 4096 /* a power of two */

/* Devices that a recording names: a hash set, open addressing, probed so many times at most. */
#define RIGEL_DEVICE_SLOTS 2048
#define RIGEL_DEVICE_PROBES 32

static inline __u32 rigel_device_slot(__u32 device, __u32 probe) {
  return ((device * 0x9E3779B9U >> 21) + probe) % RIGEL_DEVICE_SLOTS;
}

/*
 * The hash that spatial sampling goes by, of a page of an address space: two rounds of the
 * splitmix64 finaliser (Steele, Lea, Flood, OOPSLA 2014).
 */
#define RIGEL_PAGE_NUMBER_BITS 48

static inline __u64 rigel_page_hash(__u32 space, __u64 page) {
  __u64 x = ((__u64)space << RIGEL_PAGE_NUMBER_BITS | page) + 0x9E3779B97F4A7C15ULL;

  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  return (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
}

/* Which space a disk's pages are of; the table is filled and probed as that of devices. */
struct page_space {
  __u32 device; /* dev_t of the disk; 0: a free slot */
  __u32 space;
};

/* Of a disk that is not in the table, as one that came later; apart from those that are. */
static inline __u32 rigel_unknown_space(__u32 disk) {
  return 0x8000 | (disk & 0x7fff);
}

#define RIGEL_FILTER_TASKS 16 /* processes, and names of processes, that a filter can hold */

/* Bits of block_event.seen. */
enum rigel_seen {
  RIGEL_SEEN_QUEUE = 1,      /* its submission: the process is the one that submitted */
  RIGEL_SEEN_MERGED = 2,     /* it went out together with others */
  RIGEL_SEEN_SPLIT = 4,      /* a piece of a larger bio, or what that left */
  RIGEL_SEEN_REQUEUED = 8,   /* issued more than once */
  RIGEL_SEEN_WRITEBACK = 16, /* dirty pages, written by a flusher */
  RIGEL_SEEN_BIO_END = 32,   /* it ended as a bio: it never became a request */
  RIGEL_SEEN_AT_START = 64,  /* only its end was seen */
  RIGEL_SEEN_FRONT = 128,    /* bios that were there before it follow in its request */
};

/* It has ended, but when and how was not seen. */
#define RIGEL_STATUS_UNSEEN 0xff

/* One I/O. Times are CLOCK_MONOTONIC in ns; 0 where there is none. */
struct block_event {
  __u64 queue_ns;
  __u64 issue_ns;
  __u64 complete_ns;
  __u64 sector; /* of 512 bytes, on the whole disk */
  __u64 cgroup; /* cgroup v2 id of the submitter */
  __u32 length_bytes;
  __u32 device;   /* the kernel's dev_t (20 bits of minor): the partition, or the disk */
  __u32 op_flags; /* REQ_OP_* and REQ_* */
  __u32 tgid;
  __u32 tid;
  __u16 cpu;
  __u8 status; /* blk_status_t, or the errno on kernels before 5.16, or RIGEL_STATUS_UNSEEN */
  __u8 seen;
  char comm[RIGEL_COMM_BYTES];
};

/*
 * The I/Os under way: a set-associative table, found by the bio's address (or the request's, plus
 * one). A slot is free while its key is 0 and is claimed by compare-and-swap.
 */
struct block_bucket {
  __u64 key[RIGEL_WAYS];
  struct block_event event[RIGEL_WAYS];
};

/*
 * Finished I/Os on their way to user space: a ring of entries for each CPU, written by that CPU
 * only. A place is taken by counting `head` up, since a program may interrupt another, and the
 * entry is whole once its sequence is its number plus one. The consumer counts `tail` up.
 */
struct block_entry {
  struct block_event event;
  __u64 sequence;
};

struct block_ring {
  __u64 head;
  __u64 head_pad[7];
  __u64 tail;
  __u64 tail_pad[7];
};

/* Per CPU. Each is counted by one program only, which does not nest on a CPU. */
struct block_counts {
  __u64 scratch[4];  /* see number_of() */
  __u64 queued;      /* bios submitted that passed the filters */
  __u64 fragments;   /* pieces split off from them */
  __u64 at_issue;    /* requests without a bio of their own: passthrough, clones */
  __u64 back_merged; /* bios that went into a request that was there */
  __u64 absorbed;    /* the same, found when the request was issued */
  __u64 rq_merged;   /* requests that went into another */
  __u64 refused;     /* NOWAIT bios handed back with EAGAIN, to be submitted again */
  __u64 rq_fast;     /* quicker than the latency asked for */
  __u64 bio_fast;
  __u64 rq_at_start;  /* ended now, in flight when the recording began: requests */
  __u64 bio_at_start; /* … and bios */
};

/* Reads and writes by the pages that they touch, whether these are sampled or not. Per CPU. */
struct page_accesses {
  __u64 ios;
  __u64 read_pages;
  __u64 read_bytes;
  __u64 write_pages;
  __u64 write_bytes;
};

/* I/Os lost, by cause; one for all CPUs, counted atomically. */
struct block_losses {
  __u64 ring_full; /* the consumer was too slow */
  __u64 no_slot;   /* too many in flight for the table */
};

#endif
