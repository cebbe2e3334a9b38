#!/usr/bin/env bash
# On a device that takes bios and issues no requests: likewise, marked as such, without issue time.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio

zram_device 64M
capture "$WORK/t.rgt" -d "$DEVICE" -- fio --name=job --filename="$DEVICE" --direct=1 --rw=randrw \
  --bsrange=4k-64k --ioengine=psync --number_ios=10007 --size=64M --randrepeat=0 --norandommap --io_size=8G \
  --write_iolog="$WORK/iolog" --output="$WORK/fio.out"
mine='$5 == "fio"'
expect_equal "$(count_rows "$WORK/t.rgt" "$mine")" 10007 "I/Os of fio"
awk -F'\t' "$mine {print \$1, \$2, \$3}" "$WORK/t.rgt.rows" | sort >"$WORK/recorded"
awk '$2 == "read" || $2 == "write" {print $2, $3, $4}
     $3 == "read" || $3 == "write" {print $3, $4, $5}' "$WORK/iolog" | sort >"$WORK/issued"
cmp "$WORK/recorded" "$WORK/issued" || fail "operations, offsets or lengths differ from fio's log"
expect_equal "$(count_rows "$WORK/t.rgt" "$mine && \$10 ~ /,bio,/ && \$12 == \"-\" && \$11 < \$13 && \$15 == 0")" \
  10007 "bio layer, queue and completion times, status"
expect_equal "$(note "$WORK/t.rgt" lost)" 0 "I/Os lost"
expect_whole_ledger "$WORK/t.rgt"

# Larger than one bio may be at once, and discards.
capture "$WORK/u.rgt" -d "$DEVICE" -- blkdiscard -o 8M -l 16M "$DEVICE"
expect_equal "$(awk -F'\t' '$1 == "discard" {sum += $3} END {print sum + 0}' "$WORK/u.rgt.rows")" \
  $((16 << 20)) "bytes discarded"
