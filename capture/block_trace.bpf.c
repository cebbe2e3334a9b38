// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The kernel side of the recorder: follows every block I/O from submission to completion and sends
 * one event when it is done.
 *
 *   block_bio_queue     submission, in the submitter's context: filters, process, queue time
 *   block_split         a fragment inherits from the bio that it was cut from
 *   block_rq_issue      issue time; offset and length as sent to the device, after merges
 *   block_rq_complete   the end of a request; block_bio_complete: of a bio that never became one
 *   block_*_merge       the bio goes on as part of another's request
 *
 * An I/O is found again by the address of its request's first bio. What makes that sound: the
 * address stays the bio's own until it has completed, a request keeps its first bio until its first
 * completion, and a bio-based device that passes the bio itself on (nvme-multipath) does not queue
 * it a second time, so its requests are found too and no layer is counted twice.
 *
 * Times are our own: those in struct request are unset with iostats off and for passthrough.
 * Programs are tp_btf: fields are read by plain loads, which the verifier checks against BTF.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "capture/block_trace.h"
#include "capture/kernel_types.h"

#ifndef NULL
#define NULL ((void*)0)
#endif

#define PF_IO_WORKER 0x10 /* io_uring's worker threads, include/linux/sched.h since 5.12 */
#define PF_KTHREAD 0x00200000

#define REQ_OP_MASK 0xff
#define REQ_OP_WRITE 1
#define REQ_OP_DISCARD 3
#define REQ_OP_SECURE_ERASE 5
#define REQ_OP_WRITE_ZEROES 9
#define REQ_OP_DRV_IN 34
#define BLK_STS_AGAIN 12

/* Contexts that can interrupt each other on one CPU: task, soft and hard interrupt, NMI. */
#define INTERRUPTERS 4

/* Chains of bios in one request: as many as are looked at. */
#define CHAIN_MAX 256

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Set before the load; see kernel_flavour.hpp for those that depend on the kernel. */
const volatile __u8 rq_after_queue = 0;  /* (q, rq) instead of (rq): before 5.11 */
const volatile __u8 bio_after_queue = 0; /* (q, bio) instead of (bio): before 5.11 */
const volatile __u8 status_is_errno = 0; /* block_rq_complete(rq, int error, …): before 5.16 */
const volatile __u32 flush_sequence_mask = 0;    /* RQF_FLUSH_SEQ */
const volatile unsigned long writeback_mask = 0; /* PG_writeback */

const volatile __u8 names_devices = 0; /* 0: all of them */
const volatile __u32 devices[RIGEL_DEVICE_SLOTS] = {};
const volatile __u8 devices_are_excluded = 0; /* everything but these */
const volatile __u8 filters_submitter = 0;    /* I/O whose submission was not seen is not ours */
const volatile __u32 op_mask = 0xffffffff;    /* by REQ_OP_*, all from 31 on in the last bit */
const volatile __u32 ring_entries = 2; /* of each CPU, a power of two */

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, RIGEL_BUCKETS);
  __type(key, __u32);
  __type(value, struct block_bucket);
} buckets SEC(".maps");

/* Sizes are set before the load: by the number of CPUs, and how much each may hold. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct block_entry);
} entries SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct block_ring);
} rings SEC(".maps");

/* Wakes the consumer, which otherwise comes by itself; holds nothing of interest. */
struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 4096);
} wake SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct block_counts);
} counts SEC(".maps");

struct block_losses losses = {};
/* I/Os found by their request: those without a bio, and those that completed in part. */
__u32 keyed_by_request = 0;

static __always_inline struct block_counts* my_counts(void) {
  __u32 zero = 0;

  return bpf_map_lookup_elem(&counts, &zero);
}

/*
 * An address as a number: the verifier allows no arithmetic on the typed pointer itself. On the hot
 * paths by way of memory, which is cheaper than the helper that reads memory; each of their
 * programs has a place of its own, since one may interrupt another on a CPU, but none itself.
 */
enum { SCRATCH_BIO_QUEUE, SCRATCH_RQ_ISSUE, SCRATCH_RQ_COMPLETE, SCRATCH_BIO_COMPLETE };

static __always_inline __u64 number_of(const void* pointer, __u64* scratch) {
  *(volatile __u64*)scratch = (__u64)pointer;
  return *(volatile __u64*)scratch;
}

static __always_inline __u64 address_at(const void* pointer) {
  __u64 value = 0;

  bpf_probe_read_kernel(&value, sizeof(value), pointer);
  return value;
}

static __always_inline struct block_bucket* bucket_of(__u64 key) {
  /* Fibonacci hashing; objects are 64-byte aligned, so that the low bits say nothing. */
  __u32 index = ((key >> 6) * 0x9E3779B97F4A7C15ULL) >> 52;

  return bpf_map_lookup_elem(&buckets, &index);
}

static __always_inline struct block_event* find(struct block_bucket* bucket, __u64 key,
                                                __u32* way) {
  __u32 i;

  for (i = 0; i < RIGEL_WAYS; ++i) {
    if (bucket->key[i] == key) {
      *way = i;
      return &bucket->event[i];
    }
  }
  return NULL;
}

static __always_inline void release(struct block_bucket* bucket, __u32 way) {
  *(volatile __u64*)&bucket->key[way & (RIGEL_WAYS - 1)] = 0;
}

static __always_inline struct block_event* claim(__u64 key) {
  struct block_bucket* bucket = bucket_of(key);
  __u32 i;

  if (!bucket) return NULL;
  for (i = 0; i < RIGEL_WAYS; ++i) {
    if (bucket->key[i] == key) {
      __sync_fetch_and_add(&losses.unfinished, 1);
      return &bucket->event[i];
    }
  }
  for (i = 0; i < RIGEL_WAYS; ++i) {
    if (bucket->key[i] == 0 && __sync_val_compare_and_swap(&bucket->key[i], 0, key) == 0)
      return &bucket->event[i];
  }
  __sync_fetch_and_add(&losses.no_slot, 1);
  return NULL;
}

/*
 * Copies the event to this CPU's ring; false when that has no room. Our own ring and not the
 * kernel's BPF ring buffer: that takes a spin lock with interrupts off for each event, which was
 * most of what the recorder cost.
 */
static __always_inline bool send(struct block_event* event) {
  __u32 cpu = bpf_get_smp_processor_id();
  struct block_ring* ring = bpf_map_lookup_elem(&rings, &cpu);
  struct block_entry* entry;
  __u64 number;
  __u64 used;
  __u32 index;

  if (!ring) goto lost;
  used = *(volatile __u64*)&ring->head - *(volatile __u64*)&ring->tail;
  /* Room for those that may interrupt this one between here and the next line. */
  if (used + INTERRUPTERS >= ring_entries) goto lost;
  number = __sync_fetch_and_add(&ring->head, 1);
  index = cpu * ring_entries + ((__u32)number & (ring_entries - 1));
  entry = bpf_map_lookup_elem(&entries, &index);
  if (!entry) goto lost;
  __builtin_memcpy(&entry->event, event, sizeof(*event));
  __sync_lock_test_and_set(&entry->sequence, number + 1);
  if (used == ring_entries / 2)
    bpf_ringbuf_output(&wake, &number, sizeof(number), BPF_RB_FORCE_WAKEUP);
  return true;
lost:
  __sync_fetch_and_add(&losses.ring_full, 1);
  return false;
}

static __always_inline bool is_named(__u32 device) {
  __u32 named;
  __u32 i;

  for (i = 0; i < RIGEL_DEVICE_PROBES; ++i) {
    named = devices[rigel_device_slot(device, i)];
    if (named == device) return true;
    if (named == 0) break;
  }
  return false;
}

/* A disk that is named stands for its partitions. */
static __always_inline bool is_wanted(__u32 device, const struct gendisk* disk) {
  __u32 whole;

  if (!names_devices) return true;
  if (is_named(device)) return !devices_are_excluded;
  if (!disk) return devices_are_excluded;
  whole = ((__u32)disk->major << 20) | (__u32)disk->first_minor;
  return (whole != device && is_named(whole)) != devices_are_excluded;
}

static __always_inline bool is_wanted_op(__u32 op_flags) {
  __u32 op = op_flags & REQ_OP_MASK;

  return (op_mask >> (op > 31 ? 31 : op)) & 1;
}

/* Is it the page cache's own page, being written back? Pages of direct I/O are not. */
static __always_inline bool is_under_writeback(struct bio* bio) {
  struct page* page = BPF_CORE_READ(bio, bi_io_vec, bv_page);
  unsigned long head = 0;

  if (!page) return false;
  head = BPF_CORE_READ(page, compound_head);
  if (head & 1) /* a tail page: the flag is the head's */
    page = (struct page*)(head - 1);
  if (bpf_core_field_exists(((struct page___memdesc*)0)->flags.f))
    return BPF_CORE_READ((struct page___memdesc*)page, flags.f) & writeback_mask;
  return BPF_CORE_READ(page, flags) & writeback_mask;
}

static __always_inline void note_submitter(struct block_event* event, struct bio* bio) {
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();

  event->cpu = (__u16)bpf_get_smp_processor_id();
  event->tid = (__u32)task->pid;
  event->tgid = (__u32)task->tgid;
  event->cgroup = bpf_get_current_cgroup_id();
  if (task->flags & PF_IO_WORKER) {
    /* io_uring's workers act for the process whose threads they are. */
    bpf_probe_read_kernel_str(event->comm, sizeof(event->comm), task->group_leader->comm);
    return;
  }
  ((__u64*)event->comm)[0] = *(__u64*)&task->comm[0];
  ((__u64*)event->comm)[1] = *(__u64*)&task->comm[8];
  if ((task->flags & PF_KTHREAD) && bio && (event->op_flags & REQ_OP_MASK) == REQ_OP_WRITE &&
      is_under_writeback(bio)) {
    event->seen |= RIGEL_SEEN_WRITEBACK;
    /* The flusher works for whoever dirtied the inode: its cgroup, not the kernel thread's. */
    event->cgroup = BPF_CORE_READ(bio, bi_blkg, blkcg, css.cgroup, kn, id);
  }
}

static __always_inline struct bio* bio_argument(__u64* ctx) {
  if (bio_after_queue) return (struct bio*)ctx[1];
  return (struct bio*)ctx[0];
}

static __always_inline __u64 bio_address(__u64* ctx) {
  return address_at(bio_after_queue ? ctx + 1 : ctx);
}

static __always_inline struct request* request_argument(__u64* ctx) {
  if (rq_after_queue) return (struct request*)ctx[1];
  return (struct request*)ctx[0];
}

SEC("tp_btf/block_bio_queue")
int bio_queue(__u64* ctx) {
  struct bio* bio = bio_argument(ctx);
  struct block_device* bdev = bio->bi_bdev;
  __u32 device = bdev->bd_dev;
  __u32 op_flags = bio->bi_opf;
  struct block_counts* count;
  struct block_event* event;
  __u64 now;

  if (!is_wanted(device, bdev->bd_disk) || !is_wanted_op(op_flags)) return 0;
  now = bpf_ktime_get_ns();
  count = my_counts();
  if (!count) return 0;
  ++count->queued;
  event = claim(number_of(bio, &count->scratch[SCRATCH_BIO_QUEUE]));
  if (!event) return 0;
  event->queue_ns = now;
  event->issue_ns = 0;
  event->complete_ns = 0;
  event->sector = bio->bi_iter.bi_sector;
  event->length_bytes = bio->bi_iter.bi_size;
  event->device = device;
  event->op_flags = op_flags;
  event->status = 0;
  event->seen = RIGEL_SEEN_QUEUE;
  note_submitter(event, bio);
  return 0;
}

SEC("tp_btf/block_split")
int bio_split(__u64* ctx) {
  struct bio* fragment = bio_argument(ctx);
  __u64 key = bio_address(ctx);
  /* bio_chain() came first: the fragment's private data is the bio that it was cut from. */
  __u64 parent_key = address_at(&fragment->bi_private);
  struct block_event* parent;
  struct block_bucket* bucket;
  struct block_counts* count;
  struct block_event* event;
  __u32 way;

  /* A bio-based device answers for the whole bio, whatever it makes of it. */
  if (!fragment->bi_bdev->bd_disk->queue->mq_ops) return 0;
  bucket = bucket_of(parent_key);
  if (!bucket) return 0;
  parent = find(bucket, parent_key, &way);
  count = my_counts();
  if (!parent || !count) return 0;
  ++count->fragments;
  parent->seen |= RIGEL_SEEN_SPLIT;
  event = claim(key);
  if (!event) return 0;
  __builtin_memcpy(event, parent, sizeof(*event));
  event->sector = fragment->bi_iter.bi_sector;
  event->length_bytes = fragment->bi_iter.bi_size;
  return 0;
}

/*
 * The bio goes on as part of another's request: no I/O of its own any more. Returns when it was
 * queued, 0 when it was not followed. Global, so that the verifier looks at it once.
 */
__attribute__((noinline)) __u64 forget(__u64 key) {
  struct block_bucket* bucket = bucket_of(key);
  struct block_event* event;
  __u64 queue_ns;
  __u32 way;

  if (!bucket || !key) return 0;
  event = find(bucket, key, &way);
  if (!event) return 0;
  queue_ns = event->queue_ns;
  release(bucket, way);
  return queue_ns;
}

SEC("tp_btf/block_bio_backmerge")
int bio_backmerge(__u64* ctx) {
  struct block_counts* count = my_counts();

  if (count && forget(bio_address(ctx))) ++count->back_merged;
  return 0;
}

SEC("tp_btf/block_bio_frontmerge")
int bio_frontmerge(__u64* ctx) {
  __u64 key = bio_address(ctx);
  struct block_bucket* bucket = bucket_of(key);
  struct block_event* event;
  __u32 way;

  if (!bucket) return 0;
  event = find(bucket, key, &way);
  if (event) event->seen |= RIGEL_SEEN_FRONT;
  return 0;
}

/*
 * Forgets the bios that follow the one at `address` in its request, and returns the time when the
 * earliest of all was queued, `queue_ns` if that is it. Global likewise.
 */
__attribute__((noinline)) __u64 absorb_chain(__u64 address, __u64 queue_ns) {
  struct block_counts* count = my_counts();
  __u64 earlier;
  __u32 i;

  if (!count) return queue_ns;
  for (i = 0; i < CHAIN_MAX; ++i) {
    address = (__u64)BPF_CORE_READ((struct bio*)address, bi_next);
    if (!address) break;
    earlier = forget(address);
    if (!earlier) continue;
    ++count->absorbed;
    if (earlier < queue_ns) queue_ns = earlier;
  }
  return queue_ns;
}

SEC("tp_btf/block_rq_merge")
int rq_merge(__u64* ctx) {
  /* This request goes into the one before it. */
  struct request* rq = request_argument(ctx);
  struct block_counts* count = my_counts();
  __u64 key = address_at(&rq->bio);
  __u64 queue_ns;

  if (!key || !count) return 0;
  queue_ns = forget(key);
  if (!queue_ns) return 0;
  ++count->rq_merged;
  absorb_chain(key, queue_ns);
  return 0;
}

static __always_inline bool is_data_free(__u32 op) {
  return op == REQ_OP_DISCARD || op == REQ_OP_SECURE_ERASE || op == REQ_OP_WRITE_ZEROES;
}

/* What is sent: as it is at the first issue; a driver may change the request afterwards. */
static __always_inline __u32 length_of(struct request* rq, struct bio* bio, bool is_single) {
  return bio && is_single ? bio->bi_iter.bi_size : rq->__data_len;
}

static __always_inline __u32 disk_device(struct request* rq) {
  struct gendisk* disk;

  if (bpf_core_field_exists(((struct request___rq_disk*)0)->rq_disk))
    disk = BPF_CORE_READ((struct request___rq_disk*)rq, rq_disk);
  else
    disk = BPF_CORE_READ(rq, q, disk);
  if (!disk) return 0;
  return ((__u32)BPF_CORE_READ(disk, major) << 20) | (__u32)BPF_CORE_READ(disk, first_minor);
}

/* Which device a request is for, 0 when that is none of ours; `bio` may be NULL. */
static __always_inline __u32 wanted_device_of(struct request* rq, struct bio* bio) {
  struct block_device* bdev = bio ? bio->bi_bdev : NULL;
  __u32 device;

  if (!is_wanted_op(rq->cmd_flags)) return 0;
  if (bdev) {
    device = bdev->bd_dev;
    return is_wanted(device, bdev->bd_disk) ? device : 0;
  }
  device = disk_device(rq);
  return device && is_wanted(device, NULL) ? device : 0;
}

static __always_inline bool is_passthrough(struct request* rq) {
  return (rq->cmd_flags & REQ_OP_MASK) >= REQ_OP_DRV_IN;
}

/*
 * A request that no bio_queue announced and that did not begin before the recording either:
 * passthrough, or the clone of another device's request (which has someone to report to).
 */
static __always_inline void issue_of_its_own(struct request* rq, struct bio* bio, __u64 key) {
  struct block_counts* count = my_counts();
  struct block_event* event;
  __u32 device;

  if (!count || !(is_passthrough(rq) || rq->end_io)) return;
  device = wanted_device_of(rq, bio);
  if (!device) return;
  ++count->at_issue;
  event = claim(key);
  if (!event) return;
  event->queue_ns = 0;
  event->issue_ns = bpf_ktime_get_ns();
  event->complete_ns = 0;
  event->sector = rq->__sector;
  event->length_bytes = rq->__data_len;
  event->device = device;
  event->op_flags = rq->cmd_flags;
  event->status = 0;
  event->seen = RIGEL_SEEN_QUEUE;
  note_submitter(event, NULL);
}

SEC("tp_btf/block_rq_issue")
int rq_issue(__u64* ctx) {
  struct request* rq = request_argument(ctx);
  struct block_counts* count = my_counts();
  struct bio* bio = rq->bio;
  struct block_bucket* bucket;
  struct block_event* event;
  bool is_single;
  __u64 key;
  __u32 way;

  if (!count) return 0;
  if (!bio || is_passthrough(rq)) {
    /* The flush machinery's own request is part of the I/O that asked for the flush. */
    if (rq->rq_flags & flush_sequence_mask) return 0;
    __sync_fetch_and_add(&keyed_by_request, 1);
    issue_of_its_own(rq, bio, address_at(rq_after_queue ? ctx + 1 : ctx) | 1);
    return 0;
  }
  key = number_of(bio, &count->scratch[SCRATCH_RQ_ISSUE]);
  bucket = bucket_of(key);
  if (!bucket) return 0;
  event = find(bucket, key, &way);
  if (!event) {
    if (!filters_submitter) issue_of_its_own(rq, bio, key);
    return 0;
  }
  if (event->issue_ns) {
    event->seen |= RIGEL_SEEN_REQUEUED;
    event->issue_ns = bpf_ktime_get_ns();
    return 0;
  }
  event->issue_ns = bpf_ktime_get_ns();
  event->sector = rq->__sector;
  /* Not instead: the flush machinery takes FUA and PREFLUSH off what it issues. */
  event->op_flags |= rq->cmd_flags & ~REQ_OP_MASK;
  is_single = rq->biotail == bio;
  event->length_bytes = length_of(rq, bio, is_single);
  if (is_single) return 0;
  event->seen |= RIGEL_SEEN_MERGED;
  /* Back merges were seen one by one; discards merge without a word. */
  if (event->seen & RIGEL_SEEN_FRONT || is_data_free(rq->cmd_flags & REQ_OP_MASK))
    event->queue_ns = absorb_chain(key, event->queue_ns);
  return 0;
}

/* The first bio of the request is about to end before the request does: found by the request. */
static __always_inline void key_by_request(__u64 key, __u64 request_key) {
  struct block_bucket* bucket = bucket_of(key);
  struct block_event* event;
  struct block_event* moved;
  __u32 way;

  if (!bucket) return;
  event = find(bucket, key, &way);
  if (!event) return;
  __sync_fetch_and_add(&keyed_by_request, 1);
  moved = claim(request_key);
  if (moved) __builtin_memcpy(moved, event, sizeof(*event));
  release(bucket, way);
}

static __always_inline void end_of_unseen_request(struct request* rq, struct bio* bio,
                                                  __u8 status) {
  struct block_counts* count = my_counts();
  struct block_event event = {};

  /* When the table overflowed, an I/O without a slot need not be from before the start. */
  if (!count || filters_submitter || losses.no_slot) return;
  event.device = wanted_device_of(rq, bio);
  if (!event.device) return;
  event.complete_ns = bpf_ktime_get_ns();
  event.sector = rq->__sector;
  event.length_bytes = rq->__data_len;
  event.op_flags = rq->cmd_flags;
  event.status = status;
  event.seen = RIGEL_SEEN_AT_START;
  ++count->rq_at_start;
  if (send(&event)) ++count->rq_sent;
}

SEC("tp_btf/block_rq_complete")
int rq_complete(__u64* ctx) {
  struct request* rq = (struct request*)ctx[0];
  __u8 status = status_is_errno ? (__u8)(-(__s32)ctx[1]) : (__u8)ctx[1];
  __u32 done_bytes = (__u32)ctx[2];
  struct block_counts* count = my_counts();
  struct bio* bio = rq->bio;
  struct block_event* event = NULL;
  struct block_bucket* bucket;
  __u32 way = 0;
  __u64 key;

  /* The data of a flush sequence, or its flush: the I/O ends when the sequence does. */
  if (!count || rq->rq_flags & flush_sequence_mask) return 0;
  key = number_of(bio, &count->scratch[SCRATCH_RQ_COMPLETE]);
  if (done_bytes < rq->__data_len) {
    if (key) key_by_request(key, address_at(ctx) | 1);
    return 0;
  }
  if (!bio || is_passthrough(rq)) key = address_at(ctx) | 1;
  bucket = bucket_of(key);
  if (!bucket) return 0;
  event = find(bucket, key, &way);
  if (!event && keyed_by_request) {
    key = address_at(ctx) | 1;
    bucket = bucket_of(key);
    if (!bucket) return 0;
    event = find(bucket, key, &way);
  }
  if (!event) {
    end_of_unseen_request(rq, bio, status);
    return 0;
  }
  event->complete_ns = bpf_ktime_get_ns();
  event->status = status;
  if (send(event)) ++count->rq_sent;
  release(bucket, way);
  return 0;
}

static __always_inline void end_of_unseen_bio(struct bio* bio, __u8 status) {
  struct block_counts* count = my_counts();
  struct block_event event = {};

  if (!count || filters_submitter || losses.no_slot || !is_wanted_op(bio->bi_opf)) return;
  event.device = bio->bi_bdev->bd_dev;
  if (!is_wanted(event.device, bio->bi_bdev->bd_disk)) return;
  ++count->bio_at_start;
  /* The driver has used up the bio's iterator: where the I/O was cannot be told any more. */
  if (bio->bi_iter.bi_size == 0) return;
  event.complete_ns = bpf_ktime_get_ns();
  event.sector = bio->bi_iter.bi_sector;
  event.length_bytes = bio->bi_iter.bi_size;
  event.op_flags = bio->bi_opf;
  event.status = status;
  event.seen = RIGEL_SEEN_AT_START | RIGEL_SEEN_BIO_END;
  if (send(&event)) ++count->bio_sent;
}

SEC("tp_btf/block_bio_complete")
int bio_complete(__u64* ctx) {
  struct bio* bio = (struct bio*)ctx[1];
  struct block_counts* count = my_counts();
  __u8 status = bio->bi_status;
  struct block_bucket* bucket;
  struct block_event* event;
  __u64 key;
  __u32 way;

  if (!count) return 0;
  key = number_of(bio, &count->scratch[SCRATCH_BIO_COMPLETE]);
  bucket = bucket_of(key);
  if (!bucket) return 0;
  event = find(bucket, key, &way);
  if (!event) {
    end_of_unseen_bio(bio, status);
    return 0;
  }
  if (status == BLK_STS_AGAIN) {
    ++count->refused;
  } else {
    event->complete_ns = bpf_ktime_get_ns();
    event->status = status;
    event->seen |= RIGEL_SEEN_BIO_END;
    if (send(event)) ++count->bio_sent;
  }
  release(bucket, way);
  return 0;
}
