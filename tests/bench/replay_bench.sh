#!/usr/bin/env bash
# The replayer beside fio, btreplay and t/io_uring on one loop device over memory and one zram device,
# in one run. Usage: RIGEL=… [T_IO_URING=…] [SECONDS_EACH=10] replay_bench.sh [PART…]
# (root, an idle machine). Parts: 20000, 100000 (I/Os a second), flat-out, idle, memory; all of them
# unless some are named.
#
# Lateness is taken from the kernel's block tracepoints (`rigel capture`), not from any tool's own
# clock: issue times are compared with the log's, both from their first I/O on. fio and btreplay are
# run as their manuals say for a timed replay. t/io_uring is part of fio's sources.
set -euo pipefail
: "${RIGEL:?the program}"
export RIGEL_SOURCE=${RIGEL_SOURCE:-$(dirname "$(readlink -f "$0")")/../..}
: "${RIGEL_TRACE_ROWS:?build/…/tests/e2e/trace_rows}"
export RIGEL_TRACE_ROWS
source "$RIGEL_SOURCE/tests/e2e/replay_lib.sh"
need_tools fio
seconds=${SECONDS_EACH:-10}
size=$((512 << 20))

loop_device disk $size
dd if=/dev/urandom of="$DEVICE" bs=1M status=none oflag=direct || true
disk=$DEVICE
zram_device $size
zram=$DEVICE

# slip ROWS LOG: duration error and lateness of the issue times in ROWS against LOG.
slip() {
  python3 - "$1" "$2" <<'PYTHON'
import sys
seen = {}
first = None
for line in open(sys.argv[1]):
    row = line.rstrip("\n").split("\t")
    if row[0] != "read": continue
    at = row[11] if row[11] != "-" else row[10]
    seen.setdefault(int(row[1]), []).append(int(at))
wanted = [(int(f[0]) * 1000, int(f[3])) for f in (l.split() for l in open(sys.argv[2])) if len(f) == 5]
pairs = []
for at, offset in wanted:
    times = seen.get(offset)
    if times: pairs.append((at, times.pop(0)))
if not pairs: sys.exit("no I/O recorded")
base = min(actual - at for at, actual in pairs)
late = sorted(actual - at - base for at, actual in pairs)
q = lambda p: late[min(len(late) - 1, int(p * len(late)))] / 1000
intended = pairs[-1][0] - pairs[0][0]
taken = max(a for _, a in pairs) - min(a for _, a in pairs)
print(f"{len(pairs)} of {len(wanted)} I/Os, duration {100 * (taken / intended - 1):+.4f} %, "
      f"slip p50 {q(.5):.1f} p99 {q(.99):.1f} p99.9 {q(.999):.1f} max {late[-1] / 1000:.1f} us")
PYTHON
}

timed() {
  local name=$1 rate=$2
  shift 2
  start_capture "$WORK/t.rgt" -d "$disk"
  "$@" >"$WORK/tool.out" 2>&1 || true
  stop_capture
  printf '%-22s %7s/s  %s\n' "$name" "$rate" "$(slip "$WORK/t.rgt.rows" "$WORK/poisson.log")"
}

paced() {
  local rate=$1
  poisson $((rate * seconds)) "$rate" $size
  # fio's log format names the file that it shall open.
  sed "s,/dev/recorded,$disk," "$WORK/poisson.log" >"$WORK/fio.log"
  timed "rigel replay" "$rate" "$RIGEL" replay --json --target "$disk" "$WORK/poisson.log"
  python3 - "$WORK/tool.out" <<'PYTHON'
import json, sys
f = json.load(open(sys.argv[1]))
s = f["fidelity"]["slip_ns"]
print(f"  by its own account: {f['fidelity']['verdict']}, duration {100 * f['fidelity']['duration_error']:+.4f} %, "
      f"slip p50 {s['p50'] / 1e3:.1f} p99 {s['p99'] / 1e3:.1f} p99.9 {s['p999'] / 1e3:.1f} max {s['max'] / 1e3:.1f} us, "
      f"CPU {100 * (f['cpu_user_ns'] + f['cpu_system_ns']) / f['elapsed_ns']:.0f} %")
PYTHON
  timed "fio read_iolog psync" "$rate" fio --name=r --read_iolog="$WORK/fio.log" --direct=1 --ioengine=psync
  timed "fio read_iolog libaio" "$rate" fio --name=r --read_iolog="$WORK/fio.log" --direct=1 --ioengine=libaio --iodepth=128
}

own() {
  "$RIGEL" replay --json --flat-out --depth 128 --target "$1" "$WORK/poisson.rgt" >"$WORK/own.json" || true
  python3 -c "import json; print('%.0f IOPS' % json.load(open('$WORK/own.json'))['iops'])"
}
peer() {
  [ -x "${T_IO_URING:-}" ] || { echo "not built"; return; }
  timeout 30 "$T_IO_URING" -d128 -s32 -c32 -p0 -B1 -F1 -n1 -b8192 -r5 "$1" 2>&1 |
    sed -n 's/.*IOPS=\([0-9.]*[KM]*\),.*/\1/p' | tail -n 2 | head -n 1
}
flat_out() {
  poisson 3000000 1000000 $size
  "$RIGEL" convert "$WORK/poisson.log" "$WORK/poisson.rgt" >/dev/null
  for _ in 1 2 3; do
    for device in "$disk" "$zram"; do
      printf 'flat out %-12s rigel %s, t/io_uring %s IOPS\n' "$device" "$(own "$device")" "$(peer "$device")"
    done
  done
  head -n 1000003 "$WORK/poisson.log" | sed "s,/dev/recorded,$disk,; s/^[0-9]* /0 /" >"$WORK/fio.log"
  printf 'flat out %-12s fio %s\n' "$disk" "$(fio --name=r --read_iolog="$WORK/fio.log" --replay_no_stall=1 --direct=1 \
    --ioengine=io_uring --iodepth=128 --fixedbufs=1 2>&1 | sed -n 's/.*IOPS=\([^,]*\),.*/\1 IOPS/p' | head -n 1)"
}

idle() {
  poisson 10000 1000 $size
  "$RIGEL" replay --json --spin never --target "$disk" "$WORK/poisson.log" >"$WORK/own.json" || true
  python3 -c "
import json
f = json.load(open('$WORK/own.json'))
print('--spin never at 1,000/s: %.2f %% of a core' % (100 * (f['cpu_user_ns'] + f['cpu_system_ns']) / f['elapsed_ns']))"
}

# Ten million I/Os: the most memory, without the buffers, and the time from the start of
# the program to the first I/O that the kernel sees.
memory() {
  poisson 1000000 100000 $size
  "$RIGEL" convert "$WORK/poisson.log" "$WORK/poisson.rgt" >/dev/null
  start_capture "$WORK/t.rgt" -d "$disk"
  python3 - "$RIGEL" "$disk" "$WORK" <<'PYTHON'
import json, resource, subprocess, sys, time
rigel, disk, work = sys.argv[1:]
print("%.9f" % time.time(), file=open(work + "/began", "w"))
out = subprocess.run([rigel, "replay", "--json", "--flat-out", "--loop", "10", "--depth", "128", "--target", disk,
                      work + "/poisson.rgt"], stdout=subprocess.PIPE).stdout
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
result = json.loads(out)
print(f"memory: {most / 1048576:.1f} MiB at most, of it {result['buffer_bytes'] / 1048576:.1f} MiB buffers, "
      f"for {result['records']:,} records")
PYTHON
  stop_capture
  "$RIGEL" cat --to jsonl "$WORK/t.rgt" 2>/dev/null | head -n 50 >"$WORK/first.jsonl" || true
  python3 - "$WORK" <<'PYTHON'
import json, sys
work = sys.argv[1]
began = float(open(work + "/began").read())
wall = None
for line in map(json.loads, open(work + "/first.jsonl")):
    if "meta" in line: wall = line["meta"]["start_wall_ns"]
    if "op" in line:
        at = line.get("issue_ns", line.get("queue_ns"))
        print(f"first I/O {((wall + at) / 1e9 - began) * 1000:.1f} ms after the start of the program")
        break
PYTHON
}

[ $# -gt 0 ] || set -- 20000 100000 flat-out idle memory
for part in "$@"; do
  case $part in
    20000 | 100000) paced "$part" ;;
    flat-out) flat_out ;;
    idle) idle ;;
    memory) memory ;;
    *) fail "no part $part" ;;
  esac
done
