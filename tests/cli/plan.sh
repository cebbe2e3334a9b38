#!/usr/bin/env bash
# rigel plan on a real trace: the cheapest array that meets the targets, confirmed by rigel simulate,
# the next one below it refuted; and what it refuses.
source "$(dirname "$0")/lib.sh"

TRACE=$RIGEL_TEST_DATA/traces/disksim_cheetah9LP.trace
[ -r "$TRACE" ] || fail "no $TRACE: is RIGEL_TEST_DATA right?"
mkdir "$WORK/arrays"
for disks in 2 4 8; do
  cat >"$WORK/arrays/d$disks.ini" <<INI
[array]
name = d$disks
[cache]
size = 4M
hit_time = 200us
[disks]
count = $disks
time = 5ms
[cost]
base = 1000
disk = 300
INI
done

json() { python3 -c "import json,sys; d = json.load(open('$OUT')); print($1)"; }
expect_exit 0 "$RIGEL" plan "$TRACE" --arrays "$WORK/arrays" --target 'p99<40ms' --grow 1x,16x --growth-a-year 100% --json
expect_equal "$(json 'd["schema"]')" 1 schema
choice=$(json 'd["choice"]')
name=$(json 'd["candidates"][d["choice"]]["array"]')
[ "$choice" -gt 0 ] || fail "the smallest array meets the targets: the test shows nothing"
expect_equal "$(json 'd["candidates"][d["choice"]]["cost"]')" "$((1000 + 300 * ${name#d})).0" "cost of $name"
expect_equal "$(json '[all(s["met"] for s in c["steps"]) for c in d["candidates"]][d["choice"] - 1]')" False "the one before"
expect_equal "$(json 'd["candidates"][d["choice"] - 1]["limit"]')" disks "what it is short of"
# Months for a load that doubles every year.
expect_equal "$(json 'all(abs(c["headroom_months"] - 12 * __import__("math").log2(c["headroom"])) < 1e-6 for c in d["candidates"] if c["headroom"] >= 1)')" True months
planned=$(json '[s["latency_ns"]["p99"] for s in d["candidates"][d["choice"]]["steps"] if s["growth"] == 16][0]')
refused=$(json 'd["candidates"][d["choice"] - 1]["array"]')
cp "$OUT" "$WORK/plan.json"
p99() { # ARRAY
  expect_exit 0 "$RIGEL" simulate "$TRACE" --array "$WORK/arrays/$1.ini" --speed 16 --json
  json 'd["points"][0]["latency_distribution_ns"]["p99"]'
}
expect_equal "$(p99 "$name")" "$planned" "p99 by simulation"
[ "$planned" -le 40000000 ] || fail "$name does not meet the target"
[ "$(p99 "$refused")" -gt 40000000 ] || fail "$refused meets the target too, at less cost"

# As a table; with one thread the same.
expect_exit 0 "$RIGEL" plan "$TRACE" --arrays "$WORK/arrays" --target 'p99<40ms' --grow 1x,16x --growth-a-year 100% --json --threads 1
cmp "$OUT" "$WORK/plan.json" || fail "the number of threads changes the answer"
expect_exit 0 "$RIGEL" plan "$TRACE" --arrays "$WORK/arrays" --target 'p99<40ms' --grow 1x,16x
expect_stdout "$name with 4 MiB of cache and ${name#d} disks meets them all at the least cost"

# What cannot be is left out by name, and the rest is planned; alone it is an error.
mkdir "$WORK/other"
cat "$WORK/arrays/d4.ini" - >"$WORK/other/ten.ini" <<<$'[raid]\nlevel = 10'
expect_exit 0 "$RIGEL" plan "$TRACE" --array "$WORK/arrays/d4.ini" --array "$WORK/other/ten.ini" --disks 3,8 -t 'p99<1s'
expect_stdout "left out: d4 with 4 MiB of cache and 3 disks: [raid]"
expect_equal "$(grep -c "^d4  " "$OUT")" 3 "candidates that can be"
expect_exit 0 "$RIGEL" plan "$TRACE" --array "$WORK/arrays/d4.ini" --array "$WORK/other/ten.ini" --disks 3,8 -t 'p99<1s' --json
expect_equal "$(json '[(c["array"], c["disks"]) for c in d["left_out"]]')" "[('d4', 3)]" "what is left out"
expect_exit 2 "$RIGEL" plan "$TRACE" --array "$WORK/other/ten.ini" --disks 3 -t 'p99<1s'
expect_stderr "[raid]"

# With several targets a cell names the one that it shows; a cache that is not there is not doubled.
expect_exit 3 "$RIGEL" plan "$TRACE" --array one-disk -t 'p99(read)<1us' -t 'hit>0%'
expect_stdout "NO p99(read) "
! grep -q "cache (twice" "$OUT" || { cat "$OUT"; fail "twice no cache"; }

# No configuration: the answer is no.
expect_exit 3 "$RIGEL" plan "$TRACE" --array "$WORK/arrays/d2.ini" --cache 1M,2M --target 'hit>99.9%' --grow-data
expect_stdout "No configuration meets all targets"

refused() { # TEXT ARGUMENTS...
  local text=$1
  shift
  expect_exit 2 "$RIGEL" plan "$@"
  expect_stderr "$text"
}
refused "needs a trace" --array one-disk -t 'p99<1s'
refused "needs --target" "$TRACE" --array one-disk
refused "needs --array" "$TRACE" -t 'p99<1s'
refused "p99(disk)" "$TRACE" --array one-disk -t 'p99(disk)<1s'
refused "--grow 2y" "$TRACE" --array one-disk -t 'p99<1s' --grow 2y
refused "twice" "$TRACE" --array one-disk -t 'p99<1s' --grow 2x,2
refused "--growth-a-year -5%" "$TRACE" --array one-disk -t 'p99<1s' --growth-a-year=-5%
refused "--disks 8,8: 8 is there twice" "$TRACE" --array one-disk -t 'p99<1s' --disks 8,8
refused "--disks 0" "$TRACE" --array one-disk -t 'p99<1s' --disks 0
mkfifo "$WORK/fifo"
refused "only once" "$WORK/fifo" --array one-disk -t 'p99<1s'
refused "--growth-a-year 40" "$TRACE" --array one-disk -t 'p99<1s' --growth-a-year 40
refused "p100" "$TRACE" --array one-disk -t 'p100<1s'
refused "only once" - --array one-disk -t 'p99<1s'
expect_exit 1 "$RIGEL" plan "$TRACE" --arrays "$WORK" -t 'p99<1s'
expect_stderr "holds no array"
expect_exit 1 "$RIGEL" plan "$RIGEL_TEST_DATA/traces/arc_P3.lis.zst" --array one-disk -t 'p99<1s'
expect_stderr "no times"
