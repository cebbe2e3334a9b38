// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The I/Os under way: claimed, found and released by the address of their bio or request; and the
 * counters. Only for the BPF object, included once.
 */
#pragma once

#include <bpf/bpf_core_read.h>

#include "capture/event_ring.bpf.h"
#include "capture/kernel_types.h"

/* Chains of bios in one request: as many as are looked at. */
#define CHAIN_MAX 256

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, RIGEL_BUCKETS);
  __type(key, __u32);
  __type(value, struct block_bucket);
} buckets SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct block_counts);
} counts SEC(".maps");

/* I/Os found by their request: those without a bio, and those that completed in part. */
__u32 keyed_by_request = 0;
/* Set by the consumer once every program is attached, and taken back before the first goes. */
__u32 is_recording = 0;

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

/*
 * The address is another I/O's by now, so this one has ended: but nobody called, since the kernel
 * skips a program that would interrupt itself, and any program at all in some contexts. Sent
 * without its end. Global, so that the verifier looks at it once.
 */
__attribute__((noinline)) bool send_without_end(__u64 key) {
  struct block_bucket* bucket = bucket_of(key);
  struct block_event* event;
  __u32 way;

  if (!bucket) return false;
  event = find(bucket, key, &way);
  if (!event) return false;
  event->status = RIGEL_STATUS_UNSEEN;
  return send(event);
}

static __always_inline struct block_event* claim(__u64 key) {
  struct block_bucket* bucket = bucket_of(key);
  __u32 i;

  if (!bucket) return NULL;
  for (i = 0; i < RIGEL_WAYS; ++i) {
    if (bucket->key[i] == key) {
      send_without_end(key);
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
