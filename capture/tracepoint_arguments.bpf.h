// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The arguments of the block tracepoints, which moved from kernel to kernel. Only for the BPF
 * object, included once.
 */
#pragma once

#include "capture/io_table.bpf.h"

/* Set before the load; see kernel_flavour.hpp. */
const volatile __u8 rq_after_queue = 0;  /* (q, rq) instead of (rq): before 5.11 */
const volatile __u8 bio_after_queue = 0; /* (q, bio) instead of (bio): before 5.11 */

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
