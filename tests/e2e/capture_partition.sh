#!/usr/bin/env bash
# I/O to a partition: on the partition, at the offset in it; naming the disk includes it, naming the
# partition excludes the rest. Also addresses beyond 2 TB.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio

# One partition, of sectors 2048 to 67583 (32 MB); told to the kernel, which need not know tables.
loop_device disk 64M --partscan
addpart "$DEVICE" 1 2048 65536
wait_for 5 test -b "${DEVICE}p1"
run() { fio --name=job --direct=1 --rw=randread --bs=4k --ioengine=psync --size=16M --output="$WORK/fio.out" "$@"; }
both() {
  run --filename="${DEVICE}p1" --number_ios=211 --write_iolog="$WORK/iolog"
  run --filename="$DEVICE" --number_ios=307
}
export -f both run
export DEVICE WORK
name=$(basename "$DEVICE")

capture "$WORK/disk.rgt" -d "$DEVICE" -- bash -c both
expect_equal "$(count_rows "$WORK/disk.rgt" "\$5 == \"fio\" && \$4 == \"${name}p1\"")" 211 "I/Os of the partition"
expect_equal "$(count_rows "$WORK/disk.rgt" "\$5 == \"fio\" && \$4 == \"$name\"")" 307 "I/Os of the disk"
awk -F'\t' "\$4 == \"${name}p1\" && \$5 == \"fio\" {print \$2}" "$WORK/disk.rgt.rows" | sort >"$WORK/recorded"
awk '$3 == "read" {print $4}; $2 == "read" {print $3}' "$WORK/iolog" | sort >"$WORK/issued"
cmp "$WORK/recorded" "$WORK/issued" || fail "offsets in the partition differ from fio's log"

capture "$WORK/partition.rgt" -d "${DEVICE}p1" -- bash -c both
expect_equal "$(count_rows "$WORK/partition.rgt" '$5 == "fio"')" 211 "I/Os of the partition alone"
expect_equal "$(count_rows "$WORK/partition.rgt" "\$4 != \"${name}p1\"")" 0 "I/Os of others"

loop_device big 5T
far=$((4 << 40))
capture "$WORK/big.rgt" -d "$DEVICE" -- dd if="$DEVICE" of=/dev/null iflag=direct,skip_bytes bs=4096 \
  skip=$far count=13 status=none
expect_equal "$(count_rows "$WORK/big.rgt" "\$5 == \"dd\" && \$2 >= $far && \$2 < $far + 13 * 4096")" 13 "I/Os beyond 4 TB"
