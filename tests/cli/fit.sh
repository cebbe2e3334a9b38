#!/usr/bin/env bash
# A curve computed from known parameters gives them back.
source "$RIGEL_SOURCE/tests/cli/lib.sh"

cat >"$WORK/a.ini" <<'INI'
[link]
latency = 500us
[cache]
size = 0
[disks]
count = 16
time = 5ms
INI
"$RIGEL" simulate uniform --array "$WORK/a.ini" --span 1T --analytic --csv \
  -n 1,2,4,8,12,16,24,32,48,64,96,128,160 >"$WORK/curve.csv"
expect_exit 0 "$RIGEL" fit "$WORK/curve.csv" --miss-time 5ms --json
jq -e '.schema == 1 and (.disks.value - 16 | fabs) < 0.2 and .disks.low <= 16.01 and .disks.high >= 15.99 and
       (.disk_ns.value / 5e6 - 1 | fabs) < 0.01 and (.unqueued_ns.value / 5e5 - 1 | fabs) < 0.05 and
       .hit_ratio.value < 0.02 and (.cannot_tell | length) >= 2' "$OUT" >/dev/null ||
  { cat "$OUT"; fail "the parameters are not found again"; }
expect_exit 0 "$RIGEL" fit "$RIGEL_TEST_DATA/orion/seed-3tb.txt" --miss-time 8ms
expect_stdout "The curve cannot tell"
expect_stderr "from 128 to 136 outstanding throughput grew faster than the load"
expect_exit 0 "$RIGEL" fit "$RIGEL_TEST_DATA/orion/seed-3tb.txt" --miss-time 8ms --up-to 128
[ ! -s "$ERR" ] || { cat "$ERR"; fail "a warning of what was left out"; }

head -3 "$WORK/curve.csv" >"$WORK/short.csv"
expect_exit 1 "$RIGEL" fit "$WORK/short.csv"
expect_stderr "2 different loads"
expect_exit 2 "$RIGEL" fit
expect_exit 2 "$RIGEL" fit "$WORK/curve.csv" --confidence 2

expect_exit 0 "$RIGEL" fit --disk "$RIGEL_TEST_DATA/traces/disksim_hp_c2490a.trace"
cp "$OUT" "$WORK/disk.ini"
expect_stdout "judged by the 4992 that follow"
expect_stdout "rpm = 6400"
expect_exit 0 "$RIGEL" simulate "$RIGEL_TEST_DATA/traces/disksim_hp_c2490a.trace" --array "$WORK/disk.ini" --json
expect_exit 1 "$RIGEL" fit --disk "$RIGEL_TEST_DATA/traces/mqsim_tpcc-small.trace"
expect_stderr "a disk is fitted to response times"
expect_exit 2 "$RIGEL" fit --disk "$WORK/curve.csv" --miss-time 8ms
expect_stderr "--miss-time is for curves"
