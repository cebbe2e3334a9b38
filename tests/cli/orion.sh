#!/usr/bin/env bash
# rigel orion on files: ORION's example commands, its files as public scripts read them, and refusals.
source "$RIGEL_SOURCE/tests/cli/lib.sh"
cd "$WORK"

head -c 16M /dev/urandom >data.img
for name in orion t dw; do echo "$WORK/data.img" >"$name.lun"; done

# point TEXT ARGUMENTS...: a run of a second a point, of which the console must say TEXT.
point() {
  local text=$1
  shift
  expect_exit 0 "$RIGEL" orion "$@" -duration 1 --seed 1
  expect_stdout "$text"
}

# The published example commands, their ladders cut to one point where they would take minutes.
point "Maximum Large MBPS=" -run advanced -testname dw -num_disks 1 -matrix point -num_small 0 \
  -num_large 4 -type seq -num_streamIO 2 -cache_size 0 -verbose
expect_stdout "ran (large): my 4 oth 0 iops"
point "Maximum Small IOPS=" -run advanced -testname t -matrix point -num_small 3 -num_large 1 \
  -num_disks 5 -cache_size 51200 -simulate raid0 -write 0
point "Calibration will take approximately 2 minutes." -run simple -num_disks 1 -hugenotneeded

# What public scripts do with the files.
summary=$(ls orion_*_summary.txt)
for wanted in 'Maximum Large MBPS=' 'Maximum Small IOPS=' 'Minimum Small Latency='; do
  grep -q "^${wanted}[0-9.]*.*@ Small=[0-9]* and Large=[0-9]*$" "$summary" || fail "no $wanted in $summary"
done
[ "$(wc -l <"$(ls orion_*_trace.txt)")" -eq 7 ] || fail "the trace has not 7 points"
for kind in iops.csv mbps.csv lat.csv hist.txt percentiles.csv series.csv; do
  [ -s "$(ls orion_*_"$kind")" ] || fail "no $kind"
done
rm -f orion_* t_*
point "Test will take approximately 2 minutes" -run advanced -testname t -matrix point -num_small 2 \
  -num_large 0 --style 11.1
[ "$(head -c 11 t_*_lat.csv)" = "Large/Small" ] || fail "the first line of an 11.1 table is not its header"
last=$(tail -n 1 t_*_iops.csv | sed 's/.*, *//')
[ "$last" -gt 0 ] || fail "the last cell of the last line is no figure: $last"

# As JSON, and recorded.
expect_exit 0 "$RIGEL" orion -run advanced -matrix point -num_small 4 -num_large 0 -duration 1 \
  --cache 8M --json --record run.rgt
jq -e '.schema == 1 and (.points | length) == 1 and .points[0].outstanding == 4
       and .points[0].iops * .points[0].latency_ns / 1e9 > 3.9
       and .points[0].iops * .points[0].latency_ns / 1e9 < 4.1
       and .points[0].hit_ratio > 0' "$OUT" >/dev/null || fail "JSON: $(cat "$OUT")"
reads=$("$RIGEL" info --json run.rgt | jq .reads)
[ "$reads" -gt 100 ] || fail "$reads reads were recorded"

# The name orion.
ln -s "$RIGEL" orion
expect_exit 0 ./orion -help
expect_stdout "-run"

# Refused, each with its reason.
expect_exit 2 "$RIGEL" orion
expect_stderr "For help, run: orion -help"
expect_exit 1 "$RIGEL" orion -run simple -testname nowhere
expect_stderr "nowhere.lun"
expect_exit 2 "$RIGEL" orion -run sample
expect_stderr "is none of simple, normal, advanced, oltp, dss"
expect_exit 2 "$RIGEL" orion -run advanced -matrix point -num_small 1
expect_stderr "-num_large"
expect_exit 2 "$RIGEL" orion -run advanced -type seq -cache_size 67108864
expect_stderr "64 TiB"
expect_exit 2 "$RIGEL" orion -run simple –write 0
expect_stderr "long dash"
expect_exit 2 "$RIGEL" orion -run simple -duration 1x
expect_exit 2 "$RIGEL" orion -run simple -size_small 0

truncate -s 1G sparse.img
echo "$WORK/sparse.img" >sparse.lun
expect_exit 1 "$RIGEL" orion -run simple -testname sparse
expect_stderr "sparse"
head -c 16M /dev/zero >zero.img
echo "$WORK/zero.img" >zero.lun
expect_exit 1 "$RIGEL" orion -run simple -testname zero
expect_stderr "zeros"
expect_exit 1 "$RIGEL" orion -run simple --cache 16M
expect_stderr "fit into the cache"

# A run that writes nothing leaves the LUN as it is.
head -c 16M data.img | cmp -s - data.img || fail "the LUN was changed"
