// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Spatial sampling for a miss-ratio curve: instead of following I/Os, every read and write is
 * counted by its pages and only those that touch a page of the sample are sent, once. Only for the
 * BPF object, included once.
 *
 * Seen where what the device was asked to do is final: a request when it completes (a part of it at
 * a time, when it does so in parts), a bio at its submission to a device that makes no requests.
 */
#pragma once

#include "capture/submission.bpf.h"
#include "capture/tracepoint_arguments.bpf.h"

/* An I/O of more pages is sent without a look: user space looks at each again. */
#define SAMPLE_PAGES_MAX 256

const volatile __u32 page_shift = 4; /* sectors of a page, as a power of two */
const volatile struct page_space page_spaces[RIGEL_DEVICE_SLOTS] = {};

/* A page is in the sample when its hash is below. User space lowers it while it runs. */
__u64 sample_threshold = 0;

enum { ACCESSES_OF_BIOS, ACCESSES_OF_REQUESTS, ACCESSES_KINDS };

/* By the program that counts, since one may interrupt the other on a CPU. */
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, ACCESSES_KINDS);
  __type(key, __u32);
  __type(value, struct page_accesses);
} accesses SEC(".maps");

/* The address space that a disk's pages are of: paths to one LUN share it. */
static __always_inline __u32 space_of(__u32 disk) {
  __u32 known;
  __u32 slot;
  __u32 i;

  for (i = 0; i < RIGEL_DEVICE_PROBES; ++i) {
    slot = rigel_device_slot(disk, i);
    known = page_spaces[slot].device;
    if (known == disk) return page_spaces[slot].space;
    if (known == 0) break;
  }
  return rigel_unknown_space(disk);
}

/* Global, so that the verifier looks at the loop once. */
__attribute__((noinline)) bool touches_sample(__u32 space, __u64 first_page, __u64 pages) {
  const __u64 threshold = *(volatile __u64*)&sample_threshold;
  __u32 i;

  if (pages > SAMPLE_PAGES_MAX) return true;
  for (i = 0; i < SAMPLE_PAGES_MAX; ++i) {
    if (i >= pages) break;
    if (rigel_page_hash(space, first_page + i) < threshold) return true;
  }
  return false;
}

/* True when it is to be counted as one that is sent, or lost. */
static __always_inline bool sample(__u32 kind, const struct gendisk* disk, __u64 sector,
                                   __u32 bytes, __u32 op_flags) {
  struct page_accesses* count = bpf_map_lookup_elem(&accesses, &kind);
  struct block_event event = {};
  __u64 first_page = sector >> page_shift;
  __u64 pages = ((sector + ((bytes - 1) >> 9)) >> page_shift) - first_page + 1;
  __u32 space;

  if (!count) return false;
  ++count->ios;
  if ((op_flags & REQ_OP_MASK) == REQ_OP_READ) {
    count->read_pages += pages;
    count->read_bytes += bytes;
  } else {
    count->write_pages += pages;
    count->write_bytes += bytes;
  }
  space = space_of(((__u32)disk->major << 20) | (__u32)disk->first_minor);
  if (!touches_sample(space, first_page, pages)) return false;
  event.queue_ns = bpf_ktime_get_ns();
  event.sector = sector;
  event.length_bytes = bytes;
  event.device = space;
  event.op_flags = op_flags;
  send(&event);
  return true;
}

SEC("tp_btf/block_bio_queue")
int sample_bio(__u64* ctx) {
  struct bio* bio = bio_argument(ctx);
  struct block_device* bdev = bio->bi_bdev;
  struct gendisk* disk = bdev->bd_disk;
  struct block_counts* count = my_counts();
  __u32 bytes = bio->bi_iter.bi_size;

  if (!count || disk->queue->mq_ops || !bytes) return 0;
  if (!is_wanted(bdev->bd_dev, disk) || !is_wanted_op(bio->bi_opf, bytes)) return 0;
  if (sample(ACCESSES_OF_BIOS, disk, bio->bi_iter.bi_sector, bytes, bio->bi_opf)) ++count->queued;
  return 0;
}

SEC("tp_btf/block_rq_complete")
int sample_request(__u64* ctx) {
  struct request* rq = (struct request*)ctx[0];
  __u32 done_bytes = (__u32)ctx[2]; /* 0 at the end of a flush sequence, after that of its data */
  struct block_counts* count = my_counts();
  struct bio* bio = rq->bio;

  if (!count || !bio || !done_bytes || is_passthrough(rq) || !wanted_device_of(rq, bio)) return 0;
  if (sample(ACCESSES_OF_REQUESTS, bio->bi_bdev->bd_disk, rq->__sector, done_bytes, rq->cmd_flags))
    ++count->at_issue;
  return 0;
}
