#!/usr/bin/env bash
# Every record is issued exactly once, as the kernel counts and records it, whatever the pace; and
# without --write nothing is ever written.
source "$(dirname "$0")/replay_lib.sh"

loop_device disk 64M
poisson 40000 20000 $((64 << 20)) 0.25
reads=$(grep -c ' read ' "$WORK/poisson.log")
writes=$(grep -c ' write ' "$WORK/poisson.log")

# Busy machines may make it unfaithful (exit 3), never incomplete.
for pace in "" "--speed 10" "--flat-out --depth 64"; do
  before=$(asked_of "$DEVICE" $READS) written=$(asked_of "$DEVICE" $WRITES)
  # shellcheck disable=SC2086
  replay "0 3" $pace --target "$DEVICE" "$WORK/poisson.log"
  expect_equal $(($(asked_of "$DEVICE" $READS) - before)) "$reads" "reads that the kernel counted ($pace)"
  expect_equal "$(asked_of "$DEVICE" $WRITES)" "$written" "writes that the kernel counted ($pace)"
  expect_equal "$(value '["issued"]')" "$reads" "I/Os issued"
  expect_equal "$(value '["not_issued"]["write without --write"]')" "$writes" "writes left out"
  expect_equal "$(value '["errors"]')" "{}" "errors"
done

# The addresses, in order, as the tracepoints saw them. (Issue order may differ from it where kernel
# workers issued.)
start_capture "$WORK/t.rgt" -d "$DEVICE" --buffer 16M  # room for all, should the recorder get no CPU
replay "0 3" --speed 4 --target "$DEVICE" "$WORK/poisson.log"
stop_capture
expect_equal "$(note "$WORK/t.rgt" lost)" 0 "I/Os lost by the recorder"
awk -F'\t' '$1 == "read" {print $2, $3}' "$WORK/t.rgt.rows" | sort >"$WORK/issued"
awk '$3 == "read" {print $4, $5}' "$WORK/poisson.log" | sort >"$WORK/wanted"
cmp "$WORK/issued" "$WORK/wanted" || fail "addresses or lengths differ from the log"

# Writes, when asked for, with data that does not repeat.
before=$(asked_of "$DEVICE" $WRITES)
replay "0 3" --flat-out --write --target "$DEVICE" "$WORK/poisson.log"
expect_equal $(($(asked_of "$DEVICE" $WRITES) - before)) "$writes" "writes that the kernel counted"
touched=$(awk '$3 == "write" {print $4}' "$WORK/poisson.log" | sort -u | wc -l)
blocks=$(dd if="$DEVICE" bs=1M status=none | python3 -c '
import sys
data = sys.stdin.buffer.read()
zero = bytes(4096)
blocks = [data[i:i + 4096] for i in range(0, len(data), 4096)]
blocks = [b for b in blocks if b != zero]
print(len(blocks), len(set(blocks)))')
expect_equal "$blocks" "$((2 * touched)) $((2 * touched))" "blocks written, and different ones"

# Data as compressible and as repetitive as asked for: half of each block zeros, a quarter of the
# blocks one of 64.
replay "0 3" --flat-out --write --compressible 0.5 --dedupe 0.25 --target "$DEVICE" "$WORK/poisson.log"
dd if="$DEVICE" bs=1M status=none | python3 -c '
import sys
data = sys.stdin.buffer.read()
blocks = [data[i:i + 4096] for i in range(0, len(data), 4096) if data[i:i + 4096] != bytes(4096)]
assert len(blocks) == int(sys.argv[1]), len(blocks)
assert all(b[2048:] == bytes(2048) and b[:2048].count(0) < 64 for b in blocks), "half of each block"
distinct = (len(set(blocks)) - 64) / len(blocks)
assert abs(distinct - 0.75) < 0.02, distinct
' $((2 * touched)) || fail "the data is not what was asked for"
