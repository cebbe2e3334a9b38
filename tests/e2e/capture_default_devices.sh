#!/usr/bin/env bash
# Without -d, I/O that goes through several layers is recorded once, at the lowest: of a loop device
# over a file on another device that other one's, of a loop device over memory its own.
source "$(dirname "$0")/capture_lib.sh"

loop_device below 64M
below=$(basename "$DEVICE")
mount_fs "$DEVICE" ext4
dd if=/dev/zero of="$MOUNT/file" bs=1M count=16 conv=fsync status=none
DEVICE=$(losetup --find --show --direct-io=on "$MOUNT/file")
above=$(basename "$DEVICE")
read_above() { dd if="$DEVICE" of=/dev/null iflag=direct bs=4k count=29 status=none; }
export -f read_above
export DEVICE

capture "$WORK/default.rgt" -- bash -c read_above
expect_equal "$(count_rows "$WORK/default.rgt" "\$4 == \"$above\"")" 0 "I/Os of the upper layer"
[ "$(count_rows "$WORK/default.rgt" "\$4 == \"$below\" && \$1 == \"read\"")" -ge 1 ] || fail "none of the lower layer"

capture "$WORK/named.rgt" -d "$DEVICE" -- bash -c read_above
expect_equal "$(count_rows "$WORK/named.rgt" "\$5 == \"dd\" && \$4 == \"$above\"")" 29 "I/Os of the layer named"
expect_equal "$(count_rows "$WORK/named.rgt" "\$4 != \"$above\"")" 0 "I/Os of others"

expect_exit 1 "$RIGEL" capture -o "$WORK/x.rgt" -d "$MOUNT/file"
expect_stderr "$MOUNT/file: not a block device; it lies on /dev/$below"
expect_exit 1 "$RIGEL" capture -o "$WORK/x.rgt" -d /dev/no-such-device
expect_stderr "/dev/no-such-device"
