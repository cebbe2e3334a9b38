#!/usr/bin/env bash
# Eleven devices at once: each gets its own I/O and all of it, and the table sums them up by
# controller; one of them that has nothing to do is left out of it.
source "$(dirname "$0")/replay_lib.sh"

map=
{
  printf 'fio version 3 iolog\n'
  for i in $(seq 0 10); do printf '0 /dev/sd%d add\n0 /dev/sd%d open\n' "$i" "$i"; done
  for n in $(seq 0 199); do
    # Device 0 stays idle, device i has i I/Os of every 200.
    for i in $(seq 1 10); do
      [ $((n % 10)) -ge "$i" ] || printf '%d /dev/sd%d read %d 8192\n' $((n * 500)) "$i" $((n * 8192))
    done
  done
} >"$WORK/many.log"
mapfile -t names < <("$RIGEL" info --json "$WORK/many.log" | python3 -c '
import json, sys
for device in json.load(sys.stdin)["devices"]: print(device["name"])' | sort -V)
expect_equal "${#names[@]}" 10 "devices with I/O in the log"
devices=()
for i in $(seq 0 10); do
  loop_device "disk$i" 4M
  devices+=("$DEVICE")
done
for i in $(seq 0 9); do map+="${names[i]}=${devices[i + 1]},"; done
before=()
for device in "${devices[@]}"; do before+=("$(asked_of "$device" $READS)"); done
code=0
"$RIGEL" replay --map "${map%,}" --target "${devices[0]}" "$WORK/many.log" >"$OUT" 2>"$ERR" || code=$?
[ "$code" = 0 ] || [ "$code" = 3 ] || { cat "$ERR" >&2; fail "exit $code"; }
expect_equal $(($(asked_of "${devices[0]}" $READS) - before[0])) 0 "reads of the idle device"
total=0
for i in $(seq 1 10); do
  wanted=$(grep -c "/dev/sd$i read" "$WORK/many.log")
  expect_equal $(($(asked_of "${devices[i]}" $READS) - before[i])) "$wanted" "reads of device $i"
  total=$((total + wanted))
done
expect_stdout "issued          1,100 of 1,100 records"
expect_equal "$total" 1100 "I/Os of the log"
expect_stdout "extended device statistics"
lines=$(grep -cE '^ *[0-9.]+ .* loop[0-9]+$' "$OUT")
expect_equal "$lines" 10 "devices in the table"
grep -qE '^ *[0-9.]+ .* loop$' "$OUT" || { cat "$OUT" >&2; fail "no line for the controller"; }
python3 - "$OUT" <<'PYTHON' || fail "the controller's line is not the sum of its devices"
import re, sys
rows = {}
for line in open(sys.argv[1]):
    fields = line.split()
    if len(fields) == 11 and fields[-1].startswith("loop"): rows[fields[-1]] = [float(f) for f in fields[:4]]
total = rows.pop("loop")
for column in range(4):
    assert abs(total[column] - sum(row[column] for row in rows.values())) <= 0.05 * len(rows) + 0.1, column
PYTHON
