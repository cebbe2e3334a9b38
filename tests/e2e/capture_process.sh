#!/usr/bin/env bash
# The process that submitted, not the kernel thread that issued: by AIO, io_uring with and without
# worker threads, through the page cache; and the part it plays in a database, by its name.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio

loop_device disk 64M
for options in "--ioengine=io_uring --iodepth=8" "--ioengine=io_uring --iodepth=8 --sqthread_poll=1" \
  "--ioengine=io_uring --iodepth=8 --force_async=1" "--ioengine=libaio --iodepth=8"; do
  # shellcheck disable=SC2086
  capture "$WORK/t.rgt" -d "$DEVICE" -- fio --name=job --filename="$DEVICE" --direct=1 --rw=randread --bs=4k \
    $options --number_ios=503 --size=64M --output="$WORK/fio.out"
  expect_equal "$(count_rows "$WORK/t.rgt" '$5 == "fio" && $3 == 4096')" 503 "I/Os of fio ($options)"
  expect_equal "$(awk -F'\t' '$5 == "fio" && $3 == 4096 {print $8}' "$WORK/t.rgt.rows" | sort -u | wc -l)" 1 \
    "processes ($options)"
done

# Dirty pages that a flusher writes: marked, not the dirtying process's. What fsync writes is its own.
mount_fs "$DEVICE" ext4
dirty_and_sync() {
  dd if=/dev/zero of="$MOUNT/a" bs=64k count=16 status=none
  sync --file-system "$MOUNT"
  dd if=/dev/zero of="$MOUNT/b" bs=64k count=16 conv=fsync status=none
}
export -f dirty_and_sync
export MOUNT
capture "$WORK/w.rgt" -d "$DEVICE" -- bash -c dirty_and_sync
bytes() { awk -F'\t' "$1 {sum += \$3} END {print sum + 0}" "$WORK/w.rgt.rows"; }
[ "$(bytes '$1 == "write" && $5 ~ /^kworker/ && $10 ~ /,writeback,/')" -ge $((1 << 20)) ] ||
  fail "writeback is not marked"
[ "$(bytes '$1 == "write" && $5 == "dd" && $10 !~ /,writeback,/')" -ge $((1 << 20)) ] ||
  fail "what fsync writes is not its caller's"
expect_equal "$(count_rows "$WORK/w.rgt" '$1 == "read" && $10 ~ /,writeback,/')" 0 "reads marked as writeback"

# A pool of processes with an instance's names; the kernel cuts them, the title has them whole.
mkdir "$WORK/bin"
oracle() { # NAME COUNT
  cp "$(command -v dd)" "$WORK/bin/$1"
  # The pipe's reader takes its time, so that the process is there to be asked.
  (exec -a "$1" "$WORK/bin/$1" if="$DEVICE" iflag=direct bs=8k count="$2" status=none) | { sleep 1; cat >/dev/null; }
}
pool() {
  oracle ora_lgwr_WAREHOUSE2 31 &
  oracle ora_dbw0_WAREHOUSE2 37 &
  oracle ora_p00a_WAREHOUSE2 41 &
  oracle oracle_4711_WAREHOUSE2 43 &
  oracle night_batch 47 &
  wait
}
export -f oracle pool
export WORK DEVICE
echo 'batch night_(.*)' >"$WORK/roles"
capture "$WORK/o.rgt" -d "$DEVICE" --roles "$WORK/roles" -- bash -c pool
for expected in lgwr:31 dbwr:37 parallel:41 foreground:43; do
  expect_equal "$(count_rows "$WORK/o.rgt" "\$6 == \"${expected%:*}\" && \$7 == \"WAREHOUSE2\" && \$1 == \"read\"")" \
    "${expected#*:}" "I/Os of ${expected%:*}"
done
expect_equal "$(count_rows "$WORK/o.rgt" '$6 == "batch" && $5 == "night_batch" && $1 == "read"')" 47 "I/Os of a role from the file"
