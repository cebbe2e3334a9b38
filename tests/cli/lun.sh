#!/usr/bin/env bash
# What the virtual LUN refuses, before anything is mounted.
source "$(dirname "$0")/lib.sh"

expect_exit 2 "$RIGEL" lun
expect_stderr "needs FILE"
expect_exit 2 "$RIGEL" lun "$WORK/lun"
expect_stderr "needs --array"
expect_exit 2 "$RIGEL" lun "$WORK/lun" --array disks32-96g --scale 0.5
expect_stderr "--scale: from 1"
expect_exit 2 "$RIGEL" lun "$WORK/lun" --array disks32-96g --scale 1e9
expect_stderr "leaves no page of the cache"
expect_exit 2 "$RIGEL" lun "$WORK/lun" --array nvme8 --size 1k
expect_stderr "from 4 KiB"
expect_exit 2 "$RIGEL" lun "$WORK/lun" --array nvme8 --loop --block-size 1k
expect_stderr "512 or 4k"
expect_exit 2 "$RIGEL" lun "$WORK/lun" --array nvme8 --block-size 4k
expect_stderr "give --loop"
expect_exit 1 "$RIGEL" lun "$WORK/lun" --array "$WORK/none.ini"
expect_stderr "none.ini: cannot open: No such file or directory"
[ ! -e "$WORK/lun" ] || fail "a refused command left its file"

# What would be hidden, or cannot be a place or a store.
echo precious >"$WORK/data"
expect_exit 1 "$RIGEL" lun "$WORK/data" --array nvme8 --size 1G
expect_stderr "data: exists and is not empty; the LUN would hide it"
expect_exit 1 "$RIGEL" lun "$WORK" --array nvme8 --size 1G
expect_stderr "$WORK: is not a regular file"
expect_exit 1 "$RIGEL" lun "$WORK/none/lun" --array nvme8 --size 1G
expect_stderr "none/lun: cannot create: No such file or directory"
expect_exit 1 "$RIGEL" lun "$WORK/lun" --array nvme8 --size 1G --data "$WORK/none/store"
expect_stderr "none/store: cannot open"
expect_exit 1 "$RIGEL" lun "$WORK/lun" --array nvme8 --size 1G --data /dev/null
expect_stderr "/dev/null: is not a regular file"
expect_exit 2 "$RIGEL" lun "$WORK/lun" --array nvme8 --size 0
expect_stderr "--size: from 4 KiB"
