/* SPDX-License-Identifier: (MIT OR GPL-2.0-only) */
/*
 * The parts of the kernel's types that the recorder reads, by hand: no vmlinux.h, so that the
 * build host needs no BTF. libbpf moves every access to where the running kernel has the field
 * (CO-RE). Names ending in ___something are flavours: older or newer layouts of the same type.
 * Only for the BPF object. Nothing here is included by user space.
 */
#ifndef RIGEL_KERNEL_TYPES_H
#define RIGEL_KERNEL_TYPES_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef __u64 sector_t;
typedef __u32 dev_t;

struct kernfs_node {
  __u64 id;
};

struct cgroup {
  struct kernfs_node* kn;
};

struct cgroup_subsys_state {
  struct cgroup* cgroup;
};

struct blkcg {
  struct cgroup_subsys_state css;
};

struct blkcg_gq {
  struct blkcg* blkcg;
};

struct blk_mq_ops;

struct gendisk;

struct request_queue {
  const struct blk_mq_ops* mq_ops; /* NULL: the device takes bios, it issues no requests */
  struct gendisk* disk;            /* since 5.15, d152c682f03c */
};

struct gendisk {
  int major;
  int first_minor;
  struct request_queue* queue;
};

struct block_device {
  sector_t bd_start_sect;
  struct gendisk* bd_disk;
  dev_t bd_dev;
};

struct page {
  unsigned long flags;
  unsigned long compound_head;
};

/* Since 6.18, 53fbef56e07d: the flags became a type of their own. */
struct memdesc_flags {
  unsigned long f;
};

struct page___memdesc {
  struct memdesc_flags flags;
};

struct bio_vec {
  struct page* bv_page;
};

/* Packed in the kernel; not here, or every access would be by single bytes. */
struct bvec_iter {
  sector_t bi_sector;
  unsigned int bi_size;
};

struct bio {
  struct bio* bi_next;
  struct block_device* bi_bdev; /* since 5.12, 309dca309fc3 */
  unsigned int bi_opf;
  __u8 bi_status;
  struct bvec_iter bi_iter;
  void* bi_private;
  struct blkcg_gq* bi_blkg;
  struct bio_vec* bi_io_vec;
};

struct request {
  struct request_queue* q;
  unsigned int cmd_flags;
  unsigned int rq_flags;
  unsigned int __data_len;
  sector_t __sector;
  struct bio* bio;
  struct bio* biotail;
  void* end_io;
};

/* Until 5.17, f3fa33acca9f. */
struct request___rq_disk {
  struct gendisk* rq_disk;
};

struct task_struct {
  unsigned int flags;
  int pid;
  int tgid;
  struct task_struct* group_leader;
  char comm[16];
};

#pragma clang attribute pop

#endif
