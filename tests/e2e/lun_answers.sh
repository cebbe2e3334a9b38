#!/usr/bin/env bash
# The virtual LUN keeps data, counts hits and misses as they were, and never answers before the
# array would: as a file and as a loop device.
source "$(dirname "$0")/lun_lib.sh"

# Reads each of 400 distinct blocks once and then once more: 400 misses, 400 hits.
twice() { dd if="$DEVICE" of=/dev/null bs=8k count=400 iflag=direct status=none; }
for option in "" --loop; do
  # shellcheck disable=SC2086
  start_lun hits $option --size 32M
  [ -z "$option" ] || [ "$(lsblk -bdno SIZE "$DEVICE")" = 33554432 ] || fail "size of $DEVICE"
  kill -USR1 $LUN
  reported() { grep -q '"reads":' "$WORK/lun.err"; }
  wait_for 5 reported
  before=$(sed -n '/"reads":/p' "$WORK/lun.err" | jq .reads)  # by whoever looks at new disks
  begun=$(date +%s%N)
  twice
  twice
  took=$((($(date +%s%N) - begun) / 1000000))
  kill -INT $LUN
  code=0
  wait $LUN || code=$?
  expect_equal $code 130 "exit code"
  jq -e --argjson before "$before" '.schema == 1 and .reads == 800 + $before and .writes == 0 and
         .reads - .read_hits <= 400 + $before and .reads - .read_hits >= 400 and
         ($before > 0 or (.read_hits == 400 and .hit_ratio == 0.5 and .most_outstanding == 1)) and
         .errors == {} and .latency_ns.p50 >= 300000' "$WORK/lun.json" >/dev/null || { cat "$WORK/lun.json"; fail "not what was read ($option)"; }
  # 400 exponential services of 8 ms (4 standard deviations: 640 ms) and 400 hits of 0.3 ms; what the
  # host takes itself was measured beforehand and is taken off each, rightly or not.
  least=$(jq '2680 - 800 * (.overhead_in_ns + .overhead_out_ns) / 1e6 | floor' "$WORK/lun.json")
  [ $took -ge "$least" ] || { cat "$WORK/lun.json"; fail "800 reads took $took ms, not $least ($option)"; }
  lun_is_gone
done

# What is written is read back, also after the cache has forgotten it.
head -c 4M /dev/urandom >"$WORK/data"
sum=$(sha256sum <"$WORK/data")
start_lun written --loop --size 128M --block-size 4k
expect_equal "$(blockdev --getss "$DEVICE")" 4096 "block size"
dd if="$WORK/data" of="$DEVICE" bs=256k oflag=direct status=none
dd if="$DEVICE" of=/dev/null bs=1M skip=16 iflag=direct status=none
expect_equal "$(dd if="$DEVICE" bs=1M count=4 iflag=direct status=none | sha256sum)" "$sum" "data"
# A discarded range reads as zeros.
blkdiscard -o 0 -l 1M "$DEVICE"
cmp -n 1048576 "$DEVICE" /dev/zero || fail "a discarded range is not empty"
kill -TERM $LUN
code=0
wait $LUN || code=$?
expect_equal $code 143 "exit code"
lun_is_gone

# A sparse file keeps it for the next time; a pattern is its own offset.
start_lun kept --size 16M --data "$WORK/store"
dd if="$WORK/data" of="$DEVICE" bs=1M seek=2 oflag=direct conv=notrunc status=none
kill -INT $LUN
wait $LUN || true
start_lun kept --size 16M --data "$WORK/store"
expect_equal "$(dd if="$DEVICE" bs=1M skip=2 count=4 iflag=direct status=none | sha256sum)" "$sum" "data kept"
kill -INT $LUN
wait $LUN || true
lun_is_gone
start_lun pattern --size 16M --data pattern
expect_equal "$(od -An -t u8 -j 4198400 -N 16 "$DEVICE" | xargs)" "4198400 4198408" "pattern"
kill -INT $LUN
wait $LUN || true
lun_is_gone

# A command finds the device, and its end is the LUN's.
expect_exit 0 "$RIGEL" lun "$WORK/run" --array "$WORK/array.ini" --size 16M --warm --json -- \
  sh -c 'dd if=$RIGEL_LUN of=/dev/null bs=8k count=100 iflag=direct status=none'
jq -e '.reads == 100 and .read_hits == 100' "$OUT" >/dev/null || fail "a warm cache that holds all"
expect_exit 1 "$RIGEL" lun "$WORK/run" --array "$WORK/array.ini" --size 16M -- false
expect_stderr "false ended with 1"
expect_exit 0 "$RIGEL" lun "$WORK/run" --array "$WORK/array.ini" --size 16M --duration 200ms
[ ! -e "$WORK/run" ] || fail "the file is left"
