#!/usr/bin/env bash
# What recording costs: fio's IOPS with a recorder over those without, off-on-off so that drift
# cancels, the median of several rounds; beside `perf record -e block:*` and bpftrace in the same run,
# and the live miss-ratio curve by the kernel's sample (curve) and out of all records (curve-all).
#   capture_bench.sh [ROUNDS [SECONDS]]    RECORDERS="rigel perf" chooses some
# zram by psync at depth 1 (bio-based, the shortest path there is) and a loop device over memory by
# libaio at depth 32 (request-based); 8 KiB random reads.
source "$RIGEL_SOURCE/tests/e2e/lib.sh"
need_root
need_tools fio jq bpftool
ROUNDS=${1:-6}
SECONDS_EACH=${2:-1}

load() { # ENGINE DEPTH
  fio --name=load --filename="$DEVICE" --direct=1 --rw=randread --bs=8k --ioengine="$1" --iodepth="$2" \
    --time_based --runtime="$SECONDS_EACH" --size=100% --norandommap --randrepeat=0 --output-format=json \
    --output="$WORK/fio.json"
  jq '.jobs[0].read.iops' "$WORK/fio.json"
}

# Each starts in the background and sets RECORDER; none records more than the device's I/O.
await_rigel() {
  RECORDER=$!
  wait_for 10 grep -q ^recording "$WORK/rigel.err"
}
start_rigel() {
  "$RIGEL" capture -d "$DEVICE" -o "$WORK/t.rgt" 2>"$WORK/rigel.err" &
  await_rigel
}
start_curve() {
  "$RIGEL" capture -d "$DEVICE" --live-mrc "$@" >"$WORK/curve.out" 2>"$WORK/rigel.err" &
  await_rigel
}
start_curve-all() { start_curve --prometheus "$WORK/rigel.prom"; }
start_perf() {
  perf record -q -a -e 'block:*' -o "$WORK/perf.data" >/dev/null 2>"$WORK/perf.err" &
  RECORDER=$!
  sleep 1.5
}
# No BEGIN: that is a uprobe, which a locked-down kernel may refuse without a word.
start_bpftrace() {
  bpftrace -o "$WORK/bpftrace.out" -e '
    tracepoint:block:block_bio_queue { @start[args->dev, args->sector] = nsecs; }
    tracepoint:block:block_rq_complete /@start[args->dev, args->sector]/ {
      printf("%s %d %llu %u %llu\n", comm, pid, args->sector, args->nr_sector, nsecs - @start[args->dev, args->sector]);
      delete(@start[args->dev, args->sector]); }
    tracepoint:block:block_bio_complete /@start[args->dev, args->sector]/ {
      printf("%s %d %llu %u %llu\n", comm, pid, args->sector, args->nr_sector, nsecs - @start[args->dev, args->sector]);
      delete(@start[args->dev, args->sector]); }' \
    >/dev/null 2>"$WORK/bpftrace.err" &
  RECORDER=$!
  wait_for 20 bpftrace_is_attached
}
bpftrace_is_attached() {
  [ "$(bpftool perf | awk -v pid="$RECORDER" '$2 == pid && /tracepoint/ {++n} END {print n + 0}')" -ge 3 ]
}
has_ended() { ! kill -0 "$RECORDER" 2>/dev/null; }
stop_recorder() {
  kill -INT "$RECORDER"
  ( wait_for 20 has_ended ) || kill -KILL "$RECORDER"
  wait "$RECORDER" || true
}

median() { sort -g | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

# compare NAME ENGINE DEPTH RECORDER
compare() {
  local round before during after
  : >"$WORK/ratios"
  : >"$WORK/with"
  for ((round = 0; round < ROUNDS; ++round)); do
    before=$(load "$2" "$3")
    "start_$4"
    during=$(load "$2" "$3")
    stop_recorder
    after=$(load "$2" "$3")
    awk -v a="$before" -v b="$during" -v c="$after" 'BEGIN {print 2 * b / (a + c)}' >>"$WORK/ratios"
    echo "$during" >>"$WORK/with"
  done
  printf '%-6s %-9s %7.3f of the IOPS kept, %7.0f with it' "$1" "$4" "$(median <"$WORK/ratios")" "$(median <"$WORK/with")"
  case $4 in
    rigel | curve*)
      sed -nE 's/^([0-9,]+) (I\/Os started|reads and writes).*/, \1 I\/Os/p; s/.* ([0-9,]+) (of these )?lost$/ (\1 lost)/p' \
        "$WORK/rigel.err" | tr -d '\n'
      sed -nE 's/^recorder: /, recorder /p' "$WORK/rigel.err" | tr -d '\n'
      [ "$4" != rigel ] || printf ', %s bytes' "$(stat -c %s "$WORK/t.rgt")"
      ;;
    perf) printf ', %s bytes' "$(stat -c %s "$WORK/perf.data")" ;;
    bpftrace) printf ', %s lines' "$(wc -l <"$WORK/bpftrace.out")" ;;
  esac
  echo
}

# From the start of the program until it records: the median of nine.
ready() {
  local i begin line
  mkfifo "$WORK/said"
  exec 9<>"$WORK/said"  # a reader to the end
  for ((i = 0; i < 9; ++i)); do
    begin=${EPOCHREALTIME/./}
    "$RIGEL" capture -d "$DEVICE" "$@" --duration 1ms >"$WORK/curve.out" 2>"$WORK/said" 9>&- &
    read -r line <&9
    [[ $line == recording* ]] || fail "$line"
    echo "$((${EPOCHREALTIME/./} - begin))" >>"$WORK/us"
    wait $!
    while read -r -t 0.01 line <&9; do :; done
  done
  printf 'ready after %.0f ms with %s\n' "$(median <"$WORK/us" | awk '{print $1 / 1000}')" "$*"
  exec 9>&-
  rm "$WORK/said" "$WORK/us"
}

mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing  # perf and bpftrace need it
recorders=()
for tool in ${RECORDERS:-rigel curve curve-all perf bpftrace}; do
  case $tool in
    perf | bpftrace) command -v "$tool" >/dev/null || continue ;;
  esac
  recorders+=("$tool")
done
zram_device 256M
ready -o /dev/null
ready --live-mrc
fio --name=fill --filename="$DEVICE" --rw=write --bs=1M --size=100% --buffer_compress_percentage=50 --output="$WORK/fill.out"
for recorder in "${recorders[@]}"; do compare zram psync 1 "$recorder"; done
loop_device disk 256M
fio --name=fill --filename="$DEVICE" --rw=write --bs=1M --size=100% --output="$WORK/fill.out"
for recorder in "${recorders[@]}"; do compare loop libaio 32 "$recorder"; done
# A million pages, of which the kernel's sample soon holds few: what is not in it should cost little.
zram_device 8G
ROUNDS=1 SECONDS_EACH=$((10 * SECONDS_EACH))
for recorder in "${recorders[@]}"; do
  [[ $recorder != curve* ]] || compare sparse psync 1 "$recorder"
done
