// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Finished I/Os on their way to user space. Only for the BPF object, included once.
 */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "capture/block_trace.h"

struct block_losses losses = {};

/* Contexts that can interrupt each other on one CPU: task, soft and hard interrupt, NMI. */
#define INTERRUPTERS 4

const volatile __u32 ring_entries = 2; /* of each CPU, a power of two */

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
