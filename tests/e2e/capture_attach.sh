#!/usr/bin/env bash
# Recorders that come and go leave nothing behind in the kernel; neither does one that is killed.
# RIGEL_ROUNDS=10 makes it a hundred. And what a recorder may lack: two capabilities are enough, without them it says so.
source "$(dirname "$0")/capture_lib.sh"
need_tools bpftool setpriv

loop_device disk 1M
recorders() { bpftool -j prog show | tr '{' '\n' | grep -c '"name":"bio_queue"' || true; }
before=$(recorders)
for ((round = 0; round < ${RIGEL_ROUNDS:-1}; ++round)); do
  pids=()
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    "$RIGEL" capture -o /dev/null -d "$DEVICE" --duration 1ms 2>/dev/null &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || fail "a recorder failed"; done
done
start_capture "$WORK/killed.rgt" -d "$DEVICE"
[ "$(recorders)" -gt "$before" ] || fail "a running recorder cannot be told: the test shows nothing"
kill -KILL "$CAPTURE"
wait "$CAPTURE" || true
nothing_left() { [ "$(recorders)" -le "$before" ]; }
wait_for 20 nothing_left

start_capture_with() {
  setpriv --bounding-set "$1" --inh-caps=-all "$RIGEL" capture -o "$WORK/capabilities.rgt" -d "$DEVICE" \
    --duration 300ms >"$OUT" 2>"$ERR"
}
start_capture_with -all,+bpf,+perfmon || fail "CAP_BPF and CAP_PERFMON are not enough: $(cat "$ERR")"
! start_capture_with -bpf,-sys_admin || fail "recorded without CAP_BPF"
expect_stderr "CAP_BPF missing"
expect_stderr "setcap"
! start_capture_with -all || fail "recorded without capabilities"
expect_stderr "CAP_BPF and CAP_PERFMON missing"
