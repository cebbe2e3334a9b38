#!/usr/bin/env bash
# Every refusal to write, on real mounts, swap and labels, each before anything is written.
source "$(dirname "$0")/replay_lib.sh"
need_tools mkfs.ext4 mkswap

poisson 100 20000 $((8 << 20)) 1
# refused DEVICE TEXT [OPTIONS…]
refused() {
  local device=$1 text=$2 before
  shift 2
  before=$(stat_of "$device" $WRITES)
  expect_exit 1 "$RIGEL" replay --write "$@" --target "$device" "$WORK/poisson.log"
  expect_stderr "$text"
  expect_stderr "$device"
  expect_equal "$(stat_of "$device" $WRITES)" "$before" "writes to a device refused"
}
accepted() {
  expect_exit 0 "$RIGEL" replay --flat-out --write "$@" "$WORK/poisson.log"
}

loop_device ext4 32M
mkfs.ext4 -q "$DEVICE"
refused "$DEVICE" "it carries ext4"
expect_exit 2 "$RIGEL" replay --write --destroy-data /dev/other --target "$DEVICE" "$WORK/poisson.log"
mkdir "$WORK/mount"
mount "$DEVICE" "$WORK/mount"
sync -f "$WORK/mount"
refused "$DEVICE" "is mounted on $WORK/mount" --destroy-data "$DEVICE"
umount "$WORK/mount"
accepted --destroy-data "$DEVICE" --target "$DEVICE"

loop_device swap 32M
mkswap -q "$DEVICE"
refused "$DEVICE" "it carries swap"
swapon "$DEVICE"
refused "$DEVICE" "is swapped on" --destroy-data "$DEVICE"
swapoff "$DEVICE"

loop_device lvm 32M
# The label of an LVM physical volume, in its second sector, with its checksum (lib/format_text/layout.h).
python3 - "$DEVICE" <<'PYTHON'
import struct, sys
def crc(data, value=0xf597a6cf):
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0xedb88320 if value & 1 else 0)
    return value
body = struct.pack("<I8s", 32, b"LVM2 001") + b"0123456789abcdefghijklmnopqrstuv" + struct.pack("<Q", 32 << 20)
body += bytes(512 - 20 - len(body))
with open(sys.argv[1], "r+b") as device:
    device.seek(512)
    device.write(struct.pack("<8sQI", b"LABELONE", 1, crc(body)) + body)
PYTHON
refused "$DEVICE" "it carries LVM2_member"

loop_device asm 32M
printf 'ORCLDISKDATA_0001' | dd of="$DEVICE" bs=1 seek=32 conv=notrunc status=none
sync "$DEVICE"
refused "$DEVICE" "it carries oracleasm"

loop_device below 32M
below=$DEVICE
DEVICE=$(losetup --find --show "$below")
refused "$below" "it is the storage of $(basename "$DEVICE")" --destroy-data "$below"
losetup -d "$DEVICE"
accepted --target "$below"

# The kernel opens a read-only device for writing, and fails each write: told before the first.
loop_device readonly 32M -r
refused "$DEVICE" "is read-only"

# Without --write there is nothing to refuse, and of a trace of writes nothing to do.
expect_exit 3 "$RIGEL" replay --flat-out --target "$below" "$WORK/poisson.log"
expect_stdout "nothing was issued"
