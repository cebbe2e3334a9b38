#!/usr/bin/env bash
# Recordings that go on: files one after another, the flight recorder, a stretch of the day, what is
# shown meanwhile. The load is paced, and every count in it is fio's own.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio python3

loop_device disk 16M
# load SECONDS IOPS: reads of 4 KiB, so many a second
load() {
  fio --name=load --filename="$DEVICE" --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth=4 \
    --rate_iops="$2" --number_ios=$(($1 * $2)) --output=/dev/null
}
total() { cat "$@" | awk -F'\t' '$5 == "fio" && $1 == "read" {++n} END {print n + 0}'; }

# By time: every I/O is in exactly one file, and each file is whole.
start_capture "$WORK/db.rgt" -d "$DEVICE" --rotate 400ms
load 2 1009
kill -INT "$CAPTURE"
wait "$CAPTURE" || true
files=("$WORK"/db-*.rgt)
[ ${#files[@]} -ge 4 ] || fail "only ${#files[@]} files in 2 s by 400 ms"
for file in "${files[@]}"; do
  expect_exit 0 "$RIGEL" check "$file"
  read_rows "$file"
done
expect_equal "$(total "$WORK"/db-*.rows)" 2018 "reads in all files"
expect_exit 0 "$RIGEL" convert "${files[@]}" "$WORK/all.rgt"
read_rows "$WORK/all.rgt"
expect_equal "$(total "$WORK/all.rgt.rows")" 2018 "reads of the files put together"

# By size, the newest two kept, numbers going on after those that are there.
rm "$WORK"/db-*.rgt*
touch "$WORK/db-000007.rgt"
start_capture "$WORK/db.rgt" -d "$DEVICE" --rotate 1k --keep 2
load 5 503
kill -INT "$CAPTURE"
wait "$CAPTURE" || true
files=("$WORK"/db-*.rgt)
expect_equal "${#files[@]}" 2 "files kept"
[[ ${files[0]} > $WORK/db-000007.rgt ]] || fail "numbers began anew: ${files[*]}"

# Enough is enough.
load 4 1997 &
keep_pid $!
expect_exit 0 "$RIGEL" capture -o "$WORK/small.rgt" -d "$DEVICE" --max-size 8k --duration 60s
size=$(stat -c %s "$WORK/small.rgt")
[ "$size" -ge 8192 ] || fail "stopped at $size bytes"
expect_exit 0 "$RIGEL" check "$WORK/small.rgt"
wait

# The flight recorder: nothing on disk until asked, then the last while.
start_capture "$WORK/ring.rgt" -d "$DEVICE" --ring 30s
load 1 1013
[ ! -e "$WORK/ring-000001.rgt" ] || fail "written without being asked"
kill -USR1 "$CAPTURE"
wait_for 10 grep -q "ring-000001.rgt: " "$WORK/capture.err"
read_rows "$WORK/ring-000001.rgt"
expect_equal "$(total "$WORK/ring-000001.rgt.rows")" 1013 "reads in the ring"
kill -INT "$CAPTURE"
wait "$CAPTURE" || true
# Somebody's I/O is slow: every one is, at 1 ns.
start_capture "$WORK/slow.rgt" -d "$DEVICE" --ring 30s --trigger-latency 1ns
load 1 11
wait_for 10 test -s "$WORK/slow-000001.rgt"
kill -INT "$CAPTURE"
wait "$CAPTURE" || true
[ ! -e "$WORK/slow-000002.rgt" ] || fail "written twice for the same trouble"

# A stretch of the day: the one that is now, and one that is not.
now=$(date +%s)
start_capture "$WORK/day.rgt" -d "$DEVICE" \
  --window "$(date -d "@$((now - 3600))" +%H:%M)-$(date -d "@$((now + 3600))" +%H:%M)"
load 1 107
kill -INT "$CAPTURE"
wait "$CAPTURE" || true
read_rows "$WORK/day-000001.rgt"
expect_equal "$(total "$WORK/day-000001.rgt.rows")" 107 "reads in the window"
code=0
timeout -s INT 1 "$RIGEL" capture -o "$WORK/night.rgt" -d "$DEVICE" \
  --window "$(date -d "@$((now + 3600))" +%H:%M)-$(date -d "@$((now + 7200))" +%H:%M)" || code=$?
expect_equal "$code" 124 "exit of timeout, which found it waiting"
[ ! -e "$WORK/night-000001.rgt" ] || fail "recorded outside of the window"

# What is shown meanwhile adds up to what fio did.
"$RIGEL" capture -d "$DEVICE" --live --interval 500ms --prometheus "$WORK/rigel.prom" >"$OUT" 2>"$ERR" &
CAPTURE=$!
keep_pid "$CAPTURE"
wait_for 20 grep -qs "^recording" "$ERR"
load 2 1021
sleep 1
kill -INT "$CAPTURE"
wait "$CAPTURE" || true
python3 - "$OUT" "$WORK/rigel.prom" "$(basename "$DEVICE")" <<'PYTHON'
import re, sys
table, exposition, device = open(sys.argv[1]).read(), open(sys.argv[2]).read(), sys.argv[3]
rows = [line.split() for line in table.splitlines() if line.split()[:1] == [device]]
reads = sum(float(row[1]) / 2 for row in rows)  # two intervals a second
assert 0.8 * 2042 < reads < 1.2 * 2042, table
assert all(float(row[2]) == 0 for row in rows), table
values = {}
for line in exposition.splitlines():
    if line.startswith("# "):
        assert re.fullmatch(r"# (HELP|TYPE) rigel_\w+ .+", line), line
        continue
    match = re.fullmatch(r'(rigel_\w+)(\{(\w+="[^"]*",?)+\})? ([0-9.e+-]+)', line)
    assert match, line
    values[match[1] + (match[2] or "")] = float(match[4])
assert values['rigel_device_reads_total{device="%s"}' % device] >= 2042, exposition
assert values["rigel_lost_total"] == 0
buckets = [v for k, v in values.items() if k.startswith("rigel_device_latency_seconds_bucket")]
assert buckets == sorted(buckets) and buckets[-1] <= values['rigel_device_reads_total{device="%s"}' % device]
PYTHON
# Twice the same 8 MiB: half of the accesses are to pages seen before, which 16 MiB hold and 1 MiB does not.
"$RIGEL" capture -d "$DEVICE" --live-mrc --page 64k --interval 300ms >"$OUT" 2>"$ERR" &
CAPTURE=$!
keep_pid "$CAPTURE"
wait_for 20 grep -qs "^recording" "$ERR"
for _ in 1 2; do dd if="$DEVICE" of=/dev/null iflag=direct bs=64k count=128 status=none; done
sleep 1
kill -INT "$CAPTURE"
wait "$CAPTURE" || true
python3 - "$OUT" <<'PYTHON'
import re, sys
last = open(sys.argv[1]).read().split("LRU cache")[-1].splitlines()
assert last[0].split() == ["1", "MiB", "4", "MiB", "16", "MiB"], last
hits, low, high = ([float(x) for x in re.findall(r"[\d.]+(?= %)", line)] for line in last[1:4])
assert all(a <= h <= b for a, h, b in zip(low, hits, high)), last
assert hits[0] < 25 and hits[1] < 25 and 40 < hits[2] < 60 and low[2] <= 50 <= high[2], last
assert "touched in pages of 64 KiB" in last[4], last
PYTHON
# A pager that is closed ends it quietly.
load 2 101 &
keep_pid $!
code=0
"$RIGEL" capture -d "$DEVICE" --live --interval 200ms 2>"$ERR" | head -n 1 >/dev/null || code=$?
expect_equal "$code" 0 "exit of capture | head"
wait

# What does not go together.
refused() {
  local reason=$1
  shift
  expect_exit 2 "$RIGEL" capture "$@"
  expect_stderr "$reason"
}
refused "capture needs -o FILE, --live, --live-mrc or --prometheus" -d "$DEVICE"
refused "need -o FILE" --live --rotate 1M
refused "standard output" -o - --rotate 1M
refused "standard output" -o - --live
refused "not with --rotate" -o x --ring 1s --rotate 1M
refused "needs --ring" -o x --trigger-latency 1s
refused "--keep needs" -o x --keep 3
refused "megabytes or minutes" -o x --rotate 10m
refused "neither size nor time" -o x --rotate often
refused "must be more than 0" -o x --ring 0s
refused "no stretch of the day" -o x --window 22:00
refused "--window records no COMMAND" -o x --window 22:00-23:00 -- true
