#!/usr/bin/env bash
# I/O that fails is recorded with its errno: a loop device promises more than its filesystem has.
source "$(dirname "$0")/capture_lib.sh"

mkdir "$WORK/small"
mount -t tmpfs -o size=1M rigel-small "$WORK/small"
attach_loop "$WORK/small/disk" 64M
capture "$WORK/t.rgt" -d "$DEVICE" -- bash -c \
  "dd if=/dev/zero of=$DEVICE oflag=direct bs=64k seek=64 count=31 conv=noerror status=none 2>/dev/null; true"
expect_equal "$(count_rows "$WORK/t.rgt" '$5 == "dd" && $1 == "write" && $15 == 0')" \
  "$(($(stat -c %b "$WORK/small/disk") / 128))" "writes that succeeded"
failed=$(count_rows "$WORK/t.rgt" '$5 == "dd" && $1 == "write" && ($15 == 5 || $15 == 28)')
[ "$failed" -ge 1 ] || fail "no write failed, or not with EIO or ENOSPC: $(cut -f15 "$WORK/t.rgt.rows" | sort | uniq -c)"
expect_whole_ledger "$WORK/t.rgt"
