#!/usr/bin/env bash
# Points of rigel orion beside fio doing the same in the same run: device, depth, size, span, io_uring.
#   orion_bench.sh [ROUNDS [SECONDS]]
# fio - orion - fio in every round, so that drift cancels; the median of the rounds' ratios, for IOPS
# and for CPU an I/O. Random 8 KiB reads at several depths, and sequential streams of 1 MiB.
source "$RIGEL_SOURCE/tests/e2e/lib.sh"
need_root
need_tools fio jq
ROUNDS=${1:-5}
SECONDS_EACH=${2:-2}
cd "$WORK"
TIMEFORMAT='%U %S'

median() { sort -g | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

# Each prints IOPS and microseconds of CPU an I/O, by the shell's own clock.
cpu_of() { awk -v iops="$1" -v seconds="$SECONDS_EACH" '{print iops, 1e6 * ($1 + $2) / (iops * seconds)}' "$WORK/cpu"; }
with_fio() { # DEPTH SIZE PATTERN JOBS
  { time fio --name=point --filename="$DEVICE" --direct=1 --rw="$3" --bs="$2" --ioengine=io_uring --iodepth="$1" \
    --numjobs="$4" --group_reporting --offset_increment=$((128 / $4))M --size=$((256 / $4))M --norandommap \
    --randrepeat=0 --time_based --runtime="$SECONDS_EACH" --output-format=json --output=fio.json; } 2>cpu
  cpu_of "$(jq '.jobs[0].read.iops' fio.json)"
}
with_orion() { # orion's arguments
  { time "$RIGEL" orion -run advanced -matrix point -cache_size 0 -duration "$SECONDS_EACH" --json "$@" \
    >orion.json 2>orion.err; } 2>cpu || { cat orion.err >&2; fail "orion failed"; }
  cpu_of "$(jq '.points[0].iops' orion.json)"
}

# compare NAME "FIO ARGUMENTS" ORION ARGUMENTS…
compare() {
  local name=$1 fio=$2 round before during after
  shift 2
  : >iops_ratios
  : >cpu_ratios
  for ((round = 0; round < ROUNDS; ++round)); do
    # shellcheck disable=SC2086
    before=$(with_fio $fio)
    during=$(with_orion "$@")
    # shellcheck disable=SC2086
    after=$(with_fio $fio)
    echo "$before $during $after" | awk '{print 2 * $3 / ($1 + $5) > "iops_ratios.new"; print 2 * $4 / ($2 + $6) > "cpu_ratios.new"}'
    cat iops_ratios.new >>iops_ratios
    cat cpu_ratios.new >>cpu_ratios
  done
  printf '%-22s %7.3f of fio'\''s IOPS, %6.3f of its CPU an I/O (%.0f IOPS)\n' "$name" "$(median <iops_ratios)" \
    "$(median <cpu_ratios)" "${during%% *}"
}

measure() {
  echo "$DEVICE" >orion.lun
  fio --name=fill --filename="$DEVICE" --rw=write --bs=1M --size=100% --buffer_compress_percentage=50 \
    --output=/dev/null
  for depth in 1 8 32; do
    compare "$1 8k depth $depth" "$depth 8k randread 1" -num_small "$depth" -num_large 0
  done
  compare "$1 two streams of 1M" "4 1M read 2" -num_small 0 -num_large 2 -type seq
}
loop_device disk 256M
measure loop
zram_device 256M
measure zram
