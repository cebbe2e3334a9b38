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

# A recorder keeps what it needs once it is attached, each thread what is its own.
start_capture "$WORK/dropped.rgt" -d "$DEVICE"
bits() { local sum=0 bit; for bit in "$@"; do sum=$((sum | 1 << bit)); done; printf '%016x\n' "$sum"; }
DRAINING=$(bits 5 38 39) WRITING=$(bits 1 2 19)  # KILL PERFMON BPF; DAC_OVERRIDE DAC_READ_SEARCH SYS_PTRACE
expect_equal "$(sed -n 's/^CapPrm:\t//p' /proc/"$CAPTURE"/task/*/status | sort | tr '\n' ' ')" \
  "$(printf '%s\n' "$DRAINING" "$WRITING" | sort | tr '\n' ' ')" "the capabilities of its threads"
stop_capture

# The unit: as systemd would have it, and with the rights that it grants.
need_tools systemd-analyze
unit=$WORK/rigel-capture.service
sed "s|@CMAKE_INSTALL_FULL_BINDIR@/rigel|$RIGEL|" "$RIGEL_SOURCE/packaging/rigel-capture.service.in" >"$unit"
expect_exit 0 systemd-analyze verify --man=no "$unit"
expect_exit 0 systemd-analyze security --offline=yes --threshold=20 "$unit"
granted=$(sed -n 's/^AmbientCapabilities=//p' "$unit" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
install -d -o nobody "$WORK/state"
chmod a+x "$WORK"
setpriv --reuid nobody --clear-groups --no-new-privs --inh-caps="-all,$granted" --ambient-caps="-all,$granted" \
  --bounding-set="-all,$granted" "$RIGEL" capture -o "$WORK/state/io.rgt" -d "$DEVICE" --rotate 1h --duration 300ms \
  2>"$ERR" || fail "the unit's rights are not enough: $(cat "$ERR")"
expect_exit 0 "$RIGEL" check "$WORK/state/io-000001.rgt"
