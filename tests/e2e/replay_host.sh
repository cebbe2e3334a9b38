#!/usr/bin/env bash
# What the host does to a replay is detected and said: punts to kernel workers, real-time classes,
# a depth limit, a target that is throttled, a signal.
source "$(dirname "$0")/replay_lib.sh"
need_tools chrt

# A driver that cannot start I/O without blocking: all of it is punted, and it is said.
poisson 5000 10000 $((32 << 20))
zram_device 32M
replay "0 3" --target "$DEVICE" "$WORK/poisson.log"
expect_equal "$(value '["punted"]["bytes"]')" $((5000 * 8192)) "bytes punted"
value '["notes"]' | grep -q "cannot start I/O without blocking" || fail "the punt is not said"
# A spinner in a real-time class would starve those workers: it gives the class up, and gets on.
expect_exit 0 timeout 60 chrt -f 1 "$RIGEL" replay --flat-out --json --target "$DEVICE" "$WORK/poisson.log"
value '["notes"]' | grep -q "real-time scheduling given up" || fail "the class given up is not said"

loop_device disk 32M
replay "0 3" --flat-out --depth 4 --target "$DEVICE" "$WORK/poisson.log"
expect_equal "$(value '["punted"]["bytes"]')" 0 "bytes punted with a short queue"

# A target that cannot keep up: 200 I/Os a second of the 10,000 asked for, by a control group of
# either version.
number=$(cat "/sys/class/block/$(basename "$DEVICE")/dev")
if grep -qw io /sys/fs/cgroup/cgroup.controllers 2>/dev/null; then
  group=/sys/fs/cgroup/rigel-replay-$$
  echo +io >/sys/fs/cgroup/cgroup.subtree_control
  limit="$number riops=200" file=io.max
else
  [ -d /sys/fs/cgroup/blkio ] || skip "no control group can throttle block I/O"
  group=/sys/fs/cgroup/blkio/rigel-replay-$$
  limit="$number 200" file=blkio.throttle.read_iops_device
fi
mkdir "$group"
echo "$group" >>"$WORK/cgroups"
echo "$limit" >"$group/$file"
throttled() {
  # shellcheck disable=SC2016
  expect_exit 3 bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" "$RIGEL" replay --json --target "$DEVICE" "$@"
  expect_equal "$(value '["issued"]')" 500 "I/Os issued"
}
head -n 503 "$WORK/poisson.log" >"$WORK/short.log"
throttled --depth 32 "$WORK/short.log"
value '["fidelity"]["reasons"]' | grep -q "32 were outstanding" || fail "the depth limit is not the reason"
throttled "$WORK/short.log"
value '["fidelity"]["reasons"]' | grep -q "the target fell behind" || fail "the target is not the reason"

# A target that stands still is survived, and it is said for how long: one I/O a second.
echo "${limit%200}1" >"$group/$file"
head -n 6 "$WORK/poisson.log" >"$WORK/three.log"
# shellcheck disable=SC2016
expect_exit 3 bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$group" "$RIGEL" replay --json --target "$DEVICE" "$WORK/three.log"
expect_equal "$(value '["issued"]')" 3 "I/Os issued"
value '["fidelity"]["advice"]' | grep -q "answered nothing for" || fail "the standstill is not said: $(cat "$OUT")"
[ "$(value '["targets"][0]["longest_silence_ns"]')" -gt 500000000 ] || fail "the standstill is not measured"

# One that is gone: every failure is counted, none ends it, unless asked to.
poisson 2000 20000 $((32 << 20))
truncate -s 16M "$MEMORY/disk"
replay 3 --target "$DEVICE" "$WORK/poisson.log"
expect_equal "$(value '["issued"]')" 2000 "I/Os issued to a target that lost its half"
[ "$(value '["errors"]["EIO"]')" -gt 500 ] || fail "failures are not counted: $(value '["errors"]')"
value '["fidelity"]["reasons"]' | grep -q "I/Os failed" || fail "failures are not a reason"
expect_exit 1 "$RIGEL" replay --fail-fast --target "$DEVICE" "$WORK/poisson.log"
expect_stderr "$DEVICE: a read failed: Input/output error"
truncate -s 32M "$MEMORY/disk"

# The first signal ends it, with the report of what was done.
poisson 20000 1000 $((32 << 20))
"$RIGEL" replay --json --target "$DEVICE" "$WORK/poisson.log" >"$OUT" 2>"$ERR" &
replay=$!
keep_pid "$replay"
before=$(stat_of "$DEVICE" $READS)
some_done() { [ "$(stat_of "$DEVICE" $READS)" -gt $((before + 100)) ]; }
wait_for 20 some_done
# Timers of the issuing thread are exact: outside real-time classes they may be 50 us late by default.
issuing=$(grep -lx rigel-issue "/proc/$replay/task/"*/comm)
expect_equal "$(cat "/proc/$(basename "$(dirname "$issuing")")/timerslack_ns")" 1 "timer slack of the issuing thread"
kill -INT "$replay"
code=0
wait "$replay" || code=$?
expect_equal "$code" 130 "exit code after SIGINT"
value '["fidelity"]["reasons"]' | grep -q interrupted || fail "the interruption is not said"
[ "$(value '["issued"]')" -lt 20000 ] || fail "it did not end early"
