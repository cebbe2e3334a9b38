#!/usr/bin/env bash
# Simulation and queueing theory give the same curve; what is written is read back by the reader.
source "$(dirname "$0")/lib.sh"

cat >"$WORK/a.ini" <<'INI'
[link]
latency = 100us
[cache]
size = 0
[disks]
count = 32
service = exponential
time = 8ms
INI

# 32 disks of 8 ms alone: X(n) = 4000 n / (n + 31), but for 100 us of link in 8 ms.
expect_exit 0 "$RIGEL" simulate uniform --array "$WORK/a.ini" --span 3T -n 1,32,160 --json
for method in simulation analytic; do
  option=
  [ $method = simulation ] || option=--analytic
  "$RIGEL" simulate uniform --array "$WORK/a.ini" --span 3T -n 1,32,160 --json $option >"$WORK/$method"
  jq -e '.schema == 1 and (.points | length) == 3 and
         all(.points[]; (.iops / (4000 * .outstanding / (.outstanding + 31)) - 1 | fabs) < 0.03) and
         all(.points[]; (.iops * .latency_ns / 1e9 / .outstanding - 1 | fabs) < 0.02) and
         all(.points[]; .bottleneck == "disks" and .iops < 4000)' "$WORK/$method" >/dev/null ||
    { cat "$WORK/$method"; fail "$method is off"; }
done

# The same seed, the same bytes; another seed, others.
one() { "$RIGEL" simulate uniform --array disks32-96g --span 1G --cold -n 8 --ios 2000 --seed "$1" --csv; }
[ "$(one 1)" = "$(one 1)" ] || fail "a seed does not repeat"
[ "$(one 1)" != "$(one 2)" ] || fail "the seed does nothing"

# A cache that holds half of the span answers half of the reads.
cat >"$WORK/b.ini" <<'INI'
[cache]
size = 64M
[disks]
count = 4
INI
expect_exit 0 "$RIGEL" simulate uniform --array "$WORK/b.ini" --span 128M -n 4 --json
jq -e '(.points[0].hit_ratio - 0.5 | fabs) < 0.01' "$OUT" >/dev/null || fail "hit ratio"

expect_exit 2 "$RIGEL" simulate uniform
expect_stderr "needs --array"
expect_exit 2 "$RIGEL" simulate --array disks32-96g
expect_exit 2 "$RIGEL" simulate zipf:-1 --array disks32-96g
expect_stderr "an exponent between 0 and 10"
expect_exit 2 "$RIGEL" simulate uniform --array disks32-96g -n 0
expect_stderr "numbers from 1 to 65535"
expect_exit 2 "$RIGEL" simulate uniform --array disks32-96g --writes 20 --analytic
expect_stderr "reads only"
expect_exit 2 "$RIGEL" simulate uniform --array disks32-96g --span 4k
expect_stderr "holds no I/O"
expect_exit 1 "$RIGEL" simulate "$WORK/none.rgt" --array disks32-96g
expect_stderr "none.rgt"
expect_exit 2 "$RIGEL" simulate uniform --array disks32-96g --span 0
expect_stderr "--span: more than 0"
