#!/usr/bin/env bash
# --verify finds each corruption that is planted under the target while the replay runs, tells it by
# its kind and place, and finds none where there is none.
source "$(dirname "$0")/replay_lib.sh"

loop_device disk 4M
storage=$MEMORY/disk

# One write at once, to be written over later; 64 writes, each to a place of its own; and one read of
# another place later still, before which the storage below the loop device is changed.
{
  printf 'fio version 3 iolog\n0 /dev/recorded add\n0 /dev/recorded open\n0 /dev/recorded write 0 8192\n'
  for i in $(seq 0 63); do printf '%d /dev/recorded write %d 8192\n' $((2000000 + i * 500)) $((i * 8192)); done
  printf '4000000 /dev/recorded read 1048576 8192\n'
} >"$WORK/writes.log"
before=$(asked_of "$DEVICE" $WRITES)
"$RIGEL" replay --json --write --verify --target "$DEVICE" "$WORK/writes.log" >"$OUT" 2>"$ERR" &
replay=$!
keep_pid "$replay"
written() { [ $(($(asked_of "$DEVICE" $WRITES) - before)) -ge "$1" ]; }
copy() { dd if="$1" of="$2" bs=4096 skip="$3" seek="$4" count="$5" conv=notrunc status=none; }
wait_for 20 written 1
copy "$storage" "$WORK/older" 0 0 2
wait_for 20 written 65
copy "$WORK/older" "$storage" 0 0 2     # write 0: stale
copy "$storage" "$storage" 10 18 2      # write 9 holds what was meant for write 5: misdirected
copy /dev/zero "$storage" 0 41 1        # the second half of write 20: torn
copy /dev/zero "$storage" 0 60 2        # write 30: lost
printf 'x' | dd of="$storage" bs=1 seek=$((40 * 8192 + 100)) conv=notrunc status=none  # a byte: torn
code=0
wait "$replay" || code=$?
expect_equal "$code" 3 "exit code with corruption"
found() { python3 -c "
import json, sys
print(*sorted({(f['fault'], f['offset_bytes'] // 8192) for f in json.load(open('$OUT'))['verify']['first']}))"; }
expect_equal "$(value '["verify"]["stale"]')" 16 "stale blocks"
expect_equal "$(value '["verify"]["misdirected"]')" 16 "misdirected blocks"
expect_equal "$(value '["verify"]["torn"]')" 9 "torn blocks"
expect_equal "$(value '["verify"]["lost"]')" 16 "lost blocks"
expect_equal "$(value '["verify"]["checked_after"]')" $((64 * 16)) "blocks read back"
value '["fidelity"]["reasons"]' | grep -q "16 blocks misdirected" || fail "the verdict does not say what was found"
[[ "$(found)" == *"('stale', 0)"* ]] || fail "found instead: $(found)"

# Reads of the replay itself find it too, and what is in order is found to be in order.
poisson 20000 20000 $((4 << 20)) 0.5
replay 0 --flat-out --depth 64 --write --verify --target "$DEVICE" "$WORK/poisson.log"
for fault in misdirected torn lost stale unreadable not_tracked; do
  expect_equal "$(value "[\"verify\"][\"$fault\"]")" 0 "$fault blocks of a target in order"
done
[ "$(value '["verify"]["checked_during"]')" -gt 10000 ] || fail "the replay's own reads were hardly checked"
[ "$(value '["verify"]["checked_after"]')" -gt 7000 ] || fail "hardly anything was read back"

# A target that is cut short: what was written there cannot be read back, and that is no success.
printf 'fio version 3 iolog\n0 /dev/recorded add\n0 /dev/recorded open\n0 /dev/recorded write 3145728 8192\n0 /dev/recorded write 0 8192\n3000000 /dev/recorded read 0 8192\n' >"$WORK/cut.log"
before=$(asked_of "$DEVICE" $WRITES)
"$RIGEL" replay --json --write --verify --target "$DEVICE" "$WORK/cut.log" >"$OUT" 2>"$ERR" &
replay=$!
keep_pid "$replay"
wait_for 20 written 2
truncate -s 1M "$storage"
code=0
wait "$replay" || code=$?
expect_equal "$code" 3 "exit code of a target that was cut"
[ $(($(value '["verify"]["unreadable"]') + $(value '["verify"]["lost"]'))) -eq 16 ] ||
  fail "16 blocks are gone: $(value '["verify"]')"
