#!/usr/bin/env bash
# What recording costs: fio's IOPS with a recorder over those without, off-on-off so that drift
# cancels, the median of several rounds; beside `perf record -e block:*` and bpftrace in the same run.
#   capture_bench.sh [ROUNDS [SECONDS]]
# zram by psync at depth 1 (bio-based, the shortest path there is) and a loop device over memory by
# libaio at depth 32 (request-based); 8 KiB random reads.
source "$RIGEL_SOURCE/tests/e2e/lib.sh"
need_root
need_tools fio jq
ROUNDS=${1:-6}
SECONDS_EACH=${2:-1}

load() { # ENGINE DEPTH
  fio --name=load --filename="$DEVICE" --direct=1 --rw=randread --bs=8k --ioengine="$1" --iodepth="$2" \
    --time_based --runtime="$SECONDS_EACH" --size=100% --norandommap --randrepeat=0 --output-format=json \
    --output="$WORK/fio.json"
  jq '.jobs[0].read.iops' "$WORK/fio.json"
}

# Each starts in the background and sets RECORDER; none records more than the device's I/O.
start_rigel() {
  "$RIGEL" capture -d "$DEVICE" -o "$WORK/t.rgt" 2>"$WORK/rigel.err" &
  RECORDER=$!
  wait_for 10 grep -q ^recording "$WORK/rigel.err"
}
start_perf() {
  perf record -q -a -e 'block:*' -o "$WORK/perf.data" >/dev/null 2>"$WORK/perf.err" &
  RECORDER=$!
  sleep 1.5
}
start_bpftrace() {
  bpftrace -o "$WORK/bpftrace.out" -e 'BEGIN { printf("ready\n"); }
    tracepoint:block:block_bio_queue { @start[args->dev, args->sector] = nsecs; }
    tracepoint:block:block_rq_complete /@start[args->dev, args->sector]/ {
      printf("%s %d %llu %u %llu\n", comm, pid, args->sector, args->nr_sector, nsecs - @start[args->dev, args->sector]);
      delete(@start[args->dev, args->sector]); }
    tracepoint:block:block_bio_complete /@start[args->dev, args->sector]/ {
      printf("%s %d %llu %u %llu\n", comm, pid, args->sector, args->nr_sector, nsecs - @start[args->dev, args->sector]);
      delete(@start[args->dev, args->sector]); }' \
    >/dev/null 2>"$WORK/bpftrace.err" &
  RECORDER=$!
  wait_for 20 grep -qs ready "$WORK/bpftrace.out"
}
stop_recorder() {
  kill -INT "$RECORDER"
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
  if [ "$4" = rigel ]; then
    sed -nE 's/^([0-9,]+) I\/Os started.*/, \1 I\/Os/p; s/.* ([0-9,]+) lost$/ (\1 lost)/p' "$WORK/rigel.err" | tr -d '\n'
    sed -nE 's/^recorder: /, recorder /p' "$WORK/rigel.err" | tr -d '\n'
    printf ', %s bytes' "$(stat -c %s "$WORK/t.rgt")"
  elif [ "$4" = perf ]; then
    printf ', %s bytes' "$(stat -c %s "$WORK/perf.data")"
  fi
  echo
}

mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing  # perf and bpftrace need it
recorders=(rigel)
for tool in perf bpftrace; do
  if [ -z "${RIGEL_ONLY:-}" ] && command -v "$tool" >/dev/null; then recorders+=("$tool"); fi
done
zram_device 256M
fio --name=fill --filename="$DEVICE" --rw=write --bs=1M --size=100% --buffer_compress_percentage=50 --output="$WORK/fill.out"
for recorder in "${recorders[@]}"; do compare zram psync 1 "$recorder"; done
loop_device disk 256M
fio --name=fill --filename="$DEVICE" --rw=write --bs=1M --size=100% --output="$WORK/fill.out"
for recorder in "${recorders[@]}"; do compare loop libaio 32 "$recorder"; done
