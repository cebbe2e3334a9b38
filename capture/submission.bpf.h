// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * What is decided and noted when an I/O is submitted, in the submitter's context: whether it is to
 * be followed, and whose it is. Only for the BPF object, included once.
 */
#pragma once

#include "capture/io_table.bpf.h"

#define PF_IO_WORKER 0x10 /* io_uring's worker threads, include/linux/sched.h since 5.12 */
#define PF_KTHREAD 0x00200000

#define REQ_OP_MASK 0xff
#define REQ_OP_READ 0
#define REQ_OP_WRITE 1
#define REQ_OP_FLUSH 2
#define REQ_OP_DISCARD 3
#define REQ_OP_SECURE_ERASE 5
#define REQ_OP_WRITE_ZEROES 9
#define REQ_OP_DRV_IN 34

const volatile unsigned long writeback_mask = 0; /* PG_writeback */

const volatile __u8 names_devices = 0; /* 0: all of them */
const volatile __u32 devices[RIGEL_DEVICE_SLOTS] = {};
const volatile __u8 devices_are_excluded = 0; /* everything but these */
const volatile __u32 op_mask = 0xffffffff;    /* by REQ_OP_*, all from 31 on in the last bit */
const volatile __u64 least_latency_ns = 0;

/* An I/O of which only the end is seen may be one that a filter left out. */
const volatile __u8 skips_unseen = 0;
/* Which submissions are followed; none whose submitter is not seen, with any of these. */
const volatile __u8 filters_submitter = 0;
const volatile __u32 tgid_count = 0;
const volatile __u32 tgids[RIGEL_FILTER_TASKS] = {};
const volatile __u32 comm_count = 0;
const volatile __u64 comms[RIGEL_FILTER_TASKS][2] = {};
const volatile __u64 wanted_cgroup = 0; /* with what is below it, at this depth */
const volatile __u32 wanted_cgroup_depth = 0;
const volatile __u32 sample_one_in = 1;

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

  if (!is_recording) return false;
  if (!names_devices) return true;
  if (is_named(device)) return !devices_are_excluded;
  if (!disk) return devices_are_excluded;
  whole = ((__u32)disk->major << 20) | (__u32)disk->first_minor;
  return (whole != device && is_named(whole)) != devices_are_excluded;
}

static __always_inline bool is_wanted_op(__u32 op_flags, __u32 bytes) {
  __u32 op = op_flags & REQ_OP_MASK;

  if (op == REQ_OP_WRITE && bytes == 0) op = REQ_OP_FLUSH; /* a flush without data */
  return (op_mask >> (op > 31 ? 31 : op)) & 1;
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

  if (!is_wanted_op(rq->cmd_flags, rq->__data_len)) return 0;
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

static __always_inline bool is_listed_process(struct task_struct* task) {
  __u64 first = *(__u64*)&task->comm[0];
  __u64 second = *(__u64*)&task->comm[8];
  __u32 tgid = (__u32)task->tgid;
  __u32 i;

  for (i = 0; i < RIGEL_FILTER_TASKS; ++i) {
    if (i < tgid_count && tgids[i] == tgid) return true;
    if (i < comm_count && comms[i][0] == first && comms[i][1] == second) return true;
  }
  return false;
}

static __always_inline bool is_wanted_submitter(void) {
  struct task_struct* task;

  if (!filters_submitter) return true;
  if (tgid_count || comm_count) {
    task = (struct task_struct*)bpf_get_current_task_btf();
    if (!is_listed_process(task)) return false;
  }
  if (wanted_cgroup && bpf_get_current_ancestor_cgroup_id(wanted_cgroup_depth) != wanted_cgroup)
    return false;
  return sample_one_in <= 1 || bpf_get_prandom_u32() % sample_one_in == 0;
}

static __always_inline bool is_fast(struct block_event* event) {
  __u64 start = event->queue_ns ? event->queue_ns : event->issue_ns;

  return least_latency_ns && event->complete_ns - start < least_latency_ns;
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
