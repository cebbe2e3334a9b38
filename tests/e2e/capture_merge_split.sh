#!/usr/bin/env bash
# What is merged on the way counts once, what is split counts in pieces: as the device sees it, which
# is what /sys/block/*/stat counts. Bytes are neither lost nor doubled.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio

loop_device disk 64M
set_queue max_sectors_kb 64
reads=$(stat_of "$DEVICE" $READS)
capture "$WORK/split.rgt" -d "$DEVICE" -- dd if="$DEVICE" of=/dev/null iflag=direct bs=1M count=7 status=none
expect_equal "$(count_rows "$WORK/split.rgt" '$5 == "dd" && $1 == "read" && $3 == 65536 && $10 ~ /,split,/')" \
  $((7 * 16)) "pieces of 64 KiB"
expect_equal "$(count_rows "$WORK/split.rgt" '$1 == "read"')" $(($(stat_of "$DEVICE" $READS) - reads)) "reads"
expect_equal "$(awk -F'\t' '$5 == "dd" {print $2}' "$WORK/split.rgt.rows" | sort -n | uniq | wc -l)" $((7 * 16)) \
  "different offsets"
expect_whole_ledger "$WORK/split.rgt"

# Neighbours that are submitted together, forwards and backwards.
set_queue max_sectors_kb 512
set_queue scheduler mq-deadline
for direction in write write:-8k; do
  writes=$(stat_of "$DEVICE" $WRITES)
  capture "$WORK/merge.rgt" -d "$DEVICE" -- fio --name=job --filename="$DEVICE" --direct=1 --rw=$direction \
    --bs=4k --ioengine=io_uring --iodepth=64 --iodepth_batch=64 --iodepth_batch_complete_min=64 \
    --offset=32M --number_ios=1024 --size=16M --output="$WORK/fio.out"
  rows=$(count_rows "$WORK/merge.rgt" '$5 == "fio" && $1 == "write"')
  [ "$rows" -lt 1024 ] || fail "nothing was merged ($direction)"
  [ "$(count_rows "$WORK/merge.rgt" '$5 == "fio" && $10 ~ /,merged,/')" -gt 0 ] || fail "no merge marked"
  expect_equal "$(count_rows "$WORK/merge.rgt" '$1 == "write"')" $(($(stat_of "$DEVICE" $WRITES) - writes)) "writes ($direction)"
  expect_equal "$(awk -F'\t' '$5 == "fio" {sum += $3} END {print sum}' "$WORK/merge.rgt.rows")" \
    $((1024 * 4096)) "bytes written ($direction)"
  expect_equal "$(note "$WORK/merge.rgt" in_flight_at_stop)" 0 "I/Os in flight"
  expect_whole_ledger "$WORK/merge.rgt"
done

# Discards are cut and merged as well.
discards=$(stat_of "$DEVICE" $DISCARDS)
capture "$WORK/discard.rgt" -d "$DEVICE" -- blkdiscard -o 1M -l 31M "$DEVICE"
expect_equal "$(awk -F'\t' '$1 == "discard" {sum += $3} END {print sum + 0}' "$WORK/discard.rgt.rows")" \
  $((31 << 20)) "bytes discarded"
expect_equal "$(count_rows "$WORK/discard.rgt" '$1 == "discard"')" $(($(stat_of "$DEVICE" $DISCARDS) - discards)) "discards"
capture "$WORK/zero.rgt" -d "$DEVICE" -- blkdiscard -z -o 1M -l 3M "$DEVICE"
expect_equal "$(awk -F'\t' '$1 == "write-zeroes" {sum += $3} END {print sum + 0}' "$WORK/zero.rgt.rows")" \
  $((3 << 20)) "bytes zeroed"
