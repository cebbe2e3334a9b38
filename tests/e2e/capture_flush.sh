#!/usr/bin/env bash
# A synchronous write is one I/O of the process that made it, whatever the block layer makes of its
# flushes: they are issued by kernel threads, at no sector at all, and complete several times.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio jq

loop_device disk 64M
grep -q "write back" "/sys/block/$(basename "$DEVICE")/queue/write_cache" || fail "no write cache to flush"
flushes=$(stat_of "$DEVICE" $FLUSHES)
capture "$WORK/dsync.rgt" -d "$DEVICE" -- dd if=/dev/zero of="$DEVICE" oflag=direct,dsync bs=8k count=101 status=none
expect_equal "$(count_rows "$WORK/dsync.rgt" '$5 == "dd" && $1 == "write" && $3 == 8192 && $10 ~ /,fua,/')" 101 "FUA writes"
expect_equal "$(count_rows "$WORK/dsync.rgt" '$5 != "dd"')" 0 "I/Os of others"
expect_equal "$(count_rows "$WORK/dsync.rgt" '$10 ~ /fua|preflush/')" $(($(stat_of "$DEVICE" $FLUSHES) - flushes)) "writes and flushes, each with one flush of the device"
expect_equal "$(awk -F'\t' '$1 == "write" {print $2}' "$WORK/dsync.rgt.rows" | sort -u | wc -l)" 101 "different offsets"
expect_equal "$(count_rows "$WORK/dsync.rgt" '$13 == "-" || $13 < $11')" 0 "I/Os without an end"
expect_whole_ledger "$WORK/dsync.rgt"

# fsync: a flush without data, of the process that called it. How often it did, fio counts.
capture "$WORK/fsync.rgt" -d "$DEVICE" -- fio --name=job --filename="$DEVICE" --direct=1 --rw=write --bs=8k \
  --ioengine=psync --fsync=1 --number_ios=53 --size=8M --output-format=json --output="$WORK/fio.json"
expect_equal "$(count_rows "$WORK/fsync.rgt" '$5 == "fio" && $1 == "write"')" 53 "writes"
expect_equal "$(count_rows "$WORK/fsync.rgt" '$5 == "fio" && $1 == "flush" && $2 == 0 && $3 == 0 && $10 ~ /,preflush,/')" \
  "$(jq '.jobs[0].sync.total_ios' "$WORK/fio.json")" "flushes"
expect_equal "$(note "$WORK/fsync.rgt" in_flight_at_stop)" 0 "I/Os in flight"
