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
 * With a sample of the pages instead of I/Os: see page_sample.bpf.h.
 *
 * An I/O is found again by the address of its request's first bio. What makes that sound: the
 * address stays the bio's own until it has completed, a request keeps its first bio until its first
 * completion, and a bio-based device that passes the bio itself on (nvme-multipath) does not queue
 * it a second time, so its requests are found too and no layer is counted twice.
 *
 * Times are our own: those in struct request are unset with iostats off and for passthrough.
 * Programs are tp_btf: fields are read by plain loads, which the verifier checks against BTF.
 */
#include "capture/event_ring.bpf.h"
#include "capture/io_table.bpf.h"
#include "capture/page_sample.bpf.h"
#include "capture/submission.bpf.h"
#include "capture/tracepoint_arguments.bpf.h"

#define BLK_STS_AGAIN 12

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Set before the load, by the kernel: see kernel_flavour.hpp. */
const volatile __u8 status_is_errno = 0; /* block_rq_complete(rq, int error, …): before 5.16 */
const volatile __u32 flush_sequence_mask = 0; /* RQF_FLUSH_SEQ */

SEC("tp_btf/block_bio_queue")
int bio_queue(__u64* ctx) {
  struct bio* bio = bio_argument(ctx);
  struct block_device* bdev = bio->bi_bdev;
  __u32 device = bdev->bd_dev;
  __u32 op_flags = bio->bi_opf;
  struct block_counts* count;
  struct block_event* event;
  __u64 now;

  if (!is_wanted(device, bdev->bd_disk) || !is_wanted_op(op_flags, bio->bi_iter.bi_size)) return 0;
  if (!is_wanted_submitter()) return 0;
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

/*
 * A request that no bio_queue announced and that did not begin before the recording either:
 * passthrough, or the clone of another device's request (which has someone to report to).
 */
static __always_inline void issue_of_its_own(struct request* rq, struct bio* bio, __u64 key) {
  struct block_counts* count = my_counts();
  struct block_event* event;
  __u32 device;

  if (!count || filters_submitter || !(is_passthrough(rq) || rq->end_io)) return;
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
    issue_of_its_own(rq, bio, key);
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

/* One that began before the recording is no part of it, so that without room it is not lost. */
static __always_inline void send_if_room(struct block_event* event) {
  if (!send(event)) __sync_fetch_and_add(&losses.ring_full, -1);
}

static __always_inline void end_of_unseen_request(struct request* rq, struct bio* bio,
                                                  __u8 status) {
  struct block_counts* count = my_counts();
  struct block_event event = {};

  /* When the table overflowed, an I/O without a slot need not be from before the start. */
  if (!count || skips_unseen || losses.no_slot) return;
  event.device = wanted_device_of(rq, bio);
  if (!event.device) return;
  event.complete_ns = bpf_ktime_get_ns();
  event.sector = rq->__sector;
  event.length_bytes = rq->__data_len;
  event.op_flags = rq->cmd_flags;
  event.status = status;
  event.seen = RIGEL_SEEN_AT_START;
  ++count->rq_at_start;
  send_if_room(&event);
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
  if (is_fast(event))
    ++count->rq_fast;
  else
    send(event);
  release(bucket, way);
  return 0;
}

static __always_inline void end_of_unseen_bio(struct bio* bio, __u8 status) {
  struct block_counts* count = my_counts();
  struct block_event event = {};

  if (!count || skips_unseen || losses.no_slot || !is_wanted_op(bio->bi_opf, bio->bi_iter.bi_size))
    return;
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
  send_if_room(&event);
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
    if (is_fast(event))
      ++count->bio_fast;
    else
      send(event);
  }
  release(bucket, way);
  return 0;
}
