#!/usr/bin/env bash
# rigel replay on a file, which needs no privilege, and what it refuses on the command line.
source "$RIGEL_SOURCE/tests/cli/lib.sh"

cat >"$WORK/t.log" <<'LOG'
fio version 3 iolog
0 /dev/recorded add
0 /dev/recorded open
0 /dev/recorded read 0 4096
1000 /dev/recorded read 8192 8192
2000 /dev/recorded write 0 4096
3000 /dev/recorded read 1048576 4096
LOG
truncate -s 1M "$WORK/target"

usage() {
  local text=$1
  shift
  expect_exit 2 "$RIGEL" replay "$@"
  expect_stderr "$text"
}
usage "needs a trace" --target "$WORK/target"
usage "needs a --target or a --map" "$WORK/t.log"
usage "--speed and --flat-out exclude each other" --speed 2 --flat-out --target "$WORK/target" "$WORK/t.log"
usage "--speed: '-1' is negative" --speed=-1 --target "$WORK/target" "$WORK/t.log"
for speed in 0 1e-300 1e300; do
  usage "--speed: must be between" "--speed=$speed" --target "$WORK/target" "$WORK/t.log"
done
usage "a rate must be between" --iops 1e-300 --target "$WORK/target" "$WORK/t.log"
usage "--duration: must be more than 0" --duration 0s --target "$WORK/target" "$WORK/t.log"
usage "--warm-up: must be shorter" --warm-up 1h --duration 1s --target "$WORK/target" "$WORK/t.log"
usage "--interval: must be at least 10ms" --interval 1ms --target "$WORK/target" "$WORK/t.log"
usage "--timing sideways" --timing sideways --target "$WORK/target" "$WORK/t.log"
usage "--timing and --flat-out exclude" --timing dependent --flat-out --target "$WORK/target" "$WORK/t.log"
usage "--timing dependent keeps think times" --timing dependent --iops 5 --target "$WORK/target" "$WORK/t.log"
usage "--table windows" --table windows --target "$WORK/target" "$WORK/t.log"
usage "--verify needs --write" --verify --target "$WORK/target" "$WORK/t.log"
usage "--verify and --dedupe exclude" --write --verify --dedupe 0.5 --target "$WORK/target" "$WORK/t.log"
usage "--compressible: must be between 0 and 1" --write --compressible 2 --target "$WORK/target" "$WORK/t.log"
usage "--dedupe needs --write" --dedupe 0.5 --target "$WORK/target" "$WORK/t.log"
usage "standard output has the result" --series - --target "$WORK/target" "$WORK/t.log"
usage "--dry-run issues nothing" --dry-run --record "$WORK/x.rgt" --target "$WORK/target" "$WORK/t.log"
usage "--depth 0: a whole number from 1 to 65536 is wanted" --depth 0 --target "$WORK/target" "$WORK/t.log"
usage "--spin sometimes" --spin sometimes --target "$WORK/target" "$WORK/t.log"
usage "--fit squeeze" --fit squeeze --target "$WORK/target" "$WORK/t.log"
usage "write it DEVICE=TARGET[@OFFSET]" --map sda "$WORK/t.log"
usage "write it FIRST:LAST:STEP" --iops-ramp 10 --target "$WORK/target" "$WORK/t.log"
usage "need each other" --scale 2 --scale-mode shift --target "$WORK/target" "$WORK/t.log"
usage "can be read only once" --loop 2 --target "$WORK/target" -
usage "--destroy-data needs --write" --destroy-data "$WORK/target" --target "$WORK/target" "$WORK/t.log"

expect_exit 1 "$RIGEL" replay --target "$WORK/nothing" "$WORK/t.log"
expect_stderr "$WORK/nothing: cannot be a target: No such file or directory"
expect_exit 1 "$RIGEL" replay --target "$WORK" "$WORK/t.log"
expect_stderr "$WORK: not a block device or a regular file"
expect_exit 1 "$RIGEL" replay --target "$WORK/target" "$WORK/nothing.rgt"
expect_stderr "$WORK/nothing.rgt"
: >"$WORK/empty"
expect_exit 1 "$RIGEL" replay --target "$WORK/empty" "$WORK/t.log"
expect_stderr "$WORK/empty: empty file"

# One read is beyond the end of the target: all others are issued, and the verdict says so.
expect_exit 3 "$RIGEL" replay --buffered --target "$WORK/target" "$WORK/t.log"
expect_stdout "issued          2 of 4 records"
expect_stdout "1: write without --write"
expect_stdout "1: beyond the end of the target"
expect_stdout "faithful        no"
expect_stdout "  - 1 records not issued: beyond the end of the target"
cmp "$WORK/target" <(head -c 1M /dev/zero) || fail "a replay without --write has written"

expect_exit 3 "$RIGEL" replay --buffered --json --target "$WORK/target" "$WORK/t.log"
head -n 2 "$OUT" | grep -q '"schema": 1,' || fail "schema is not first"

# The replay as a trace: what was issued, where, in that order.
expect_exit 3 "$RIGEL" replay --buffered --record "$WORK/own.rgt" --target "$WORK/target" "$WORK/t.log"
"$RIGEL" cat --to jsonl "$WORK/own.rgt" | jq -e -s 'map(select(.op) | [.offset_bytes, .length_bytes]) == [[0, 4096], [8192, 8192]]' \
  >/dev/null || fail "the recording is not what was issued: $("$RIGEL" cat --to jsonl "$WORK/own.rgt")"
expect_exit 2 "$RIGEL" replay --buffered --record "$WORK/target" --target "$WORK/target" "$WORK/t.log"
expect_stderr "$WORK/target is both input and output"
cp "$WORK/t.log" "$WORK/kept.log"
expect_exit 2 "$RIGEL" replay --buffered --record "$WORK/t.log" --target "$WORK/target" "$WORK/t.log"
cmp "$WORK/t.log" "$WORK/kept.log" || fail "the input was overwritten"
ln "$WORK/t.log" "$WORK/link.log"
expect_exit 2 "$RIGEL" replay --buffered --write --target "$WORK/link.log" "$WORK/t.log"
expect_stderr "$WORK/link.log is both input and output"
cmp "$WORK/t.log" "$WORK/kept.log" || fail "the input was overwritten by its other name"

# A dry run says what would happen, refuses what would be refused, and changes nothing.
expect_exit 0 "$RIGEL" replay --dry-run --buffered --write --target "$WORK/target" "$WORK/t.log"
expect_stdout "would issue     3 of 4 records in 2.00 ms (recorded 3.00 ms)"
expect_stdout "1: beyond the end of the target"
expect_stdout "2 reads, 12 KiB; 1 writes, 4 KiB; 0 others"
expect_stdout "what is on the targets would be lost"
cmp "$WORK/target" <(head -c 1M /dev/zero) || fail "a dry run has written"
expect_exit 0 "$RIGEL" replay --dry-run --json --buffered --target "$WORK/target" "$WORK/t.log"
jq -e '.schema == 1 and .dry_run and .would_issue == 2 and .recorded_duration_ns == 3000000
       and .not_issued["write without --write"] == 1 and .targets[0].end_byte == 16384' "$OUT" >/dev/null ||
  fail "JSON of a dry run: $(cat "$OUT")"
expect_exit 0 "$RIGEL" replay --dry-run --flat-out --duration 1h --buffered --target "$WORK/target" "$WORK/t.log"
cp "$WORK/target" "$WORK/data"
printf 'what a database keeps' | dd of="$WORK/data" conv=notrunc status=none
expect_exit 1 "$RIGEL" replay --dry-run --buffered --write --target "$WORK/data" "$WORK/t.log"
expect_stderr "it is a file with data in it"

# Held open by another process: named.
exec 7<"$WORK/target"
expect_exit 1 "$RIGEL" replay --buffered --write --target "$WORK/target" "$WORK/t.log"
expect_stderr "it is open in process $$ (bash)"
exec 7<&-

# What was not measured, or is not known, is null and not 0.
expect_exit 3 "$RIGEL" replay --buffered --json --target "$WORK/target" --op write "$WORK/t.log"
jq -e '.service_time_ns == null and .fidelity.slip_ns == null and .fidelity.duration_error == null
       and .fidelity.recorded_outstanding == null and .issued == 0' "$OUT" >/dev/null ||
  fail "JSON of a replay of nothing: $(cat "$OUT")"
expect_exit 3 "$RIGEL" replay --buffered --warm-up 1h --target "$WORK/target" "$WORK/t.log"
expect_stdout "nothing was measured: the warm-up of 3600 s did not end before the replay"

# A trace without times, and one without completion times, where they are needed.
printf '0\n1\n2\n' >"$WORK/pages.trace"
expect_exit 1 "$RIGEL" replay --format lirs --buffered --target "$WORK/target" "$WORK/pages.trace"
expect_stderr "not when: --flat-out replays it without times"
expect_exit 0 "$RIGEL" replay --format lirs --buffered --flat-out --target "$WORK/target" "$WORK/pages.trace"
expect_exit 1 "$RIGEL" replay --timing dependent --buffered --target "$WORK/target" "$WORK/t.log"
expect_stderr "--timing dependent cannot replay it"

# A trace that is damaged is not replayed faithfully, and it is said where it is damaged.
python3 - >"$WORK/long.log" <<'PYTHON'
print("fio version 3 iolog\n0 /dev/recorded add\n0 /dev/recorded open")
for i in range(2000):
    print(i, "/dev/recorded read", i % 256 * 4096, 4096)
PYTHON
"$RIGEL" convert "$WORK/long.log" "$WORK/long.rgt" >/dev/null
printf '\xff\xff\xff\xff' | dd of="$WORK/long.rgt" bs=1 seek=$(($(stat -c %s "$WORK/long.rgt") / 2)) conv=notrunc status=none
expect_exit 3 "$RIGEL" replay --buffered --json --flat-out --target "$WORK/target" "$WORK/long.rgt"
jq -e '.fidelity.verdict == "unfaithful" and .lost_in_damage > 0 and (.fidelity.reasons | any(contains("the trace is not all that happened: byte")))' \
  "$OUT" >/dev/null || fail "a damaged trace: $(cat "$OUT")"

# Two devices of a trace on one target: said.
sed 's,/dev/recorded,/dev/sdb,; s/^fio.*//; /^$/d; /write/d' "$WORK/t.log" >"$WORK/b.part"
{ head -n 1 "$WORK/t.log"; tail -n +2 "$WORK/t.log"; cat "$WORK/b.part"; } >"$WORK/two.log"
expect_exit 3 "$RIGEL" replay --buffered --flat-out --target "$WORK/target" "$WORK/two.log"
expect_stdout "share addresses of $WORK/target"

# The time series, either way, adds up to what was issued.
expect_exit 0 "$RIGEL" replay --buffered --flat-out --op read --offset-range 0-64k --series "$WORK/s.jsonl" --target "$WORK/target" "$WORK/long.log"
issued=$(jq -s 'map(.reads) | add' "$WORK/s.jsonl")
expect_equal "$issued" "$(awk '$4 == 0 || $4 < 65536' "$WORK/long.log" | grep -c ' read ')" "reads in the series"
expect_exit 0 "$RIGEL" replay --buffered --flat-out --offset-range 0-64k --series "$WORK/s.csv" --target "$WORK/target" "$WORK/long.log"
expect_equal "$(awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == "reads") c = i} NR > 1 {n += $c} END {print n}' "$WORK/s.csv")" \
  "$issued" "reads in the CSV"
# The live table, on a terminal only.
script -qec "'$RIGEL' replay --buffered --speed 0.002 --interval 100ms --target '$WORK/target' '$WORK/long.log'" "$WORK/typescript" >/dev/null 2>&1 </dev/null ||
  true
[ "$(grep -c 'extended device statistics' "$WORK/typescript")" -gt 5 ] || fail "no live table on a terminal"
