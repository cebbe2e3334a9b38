#!/usr/bin/env bash
# rigel cat: a line a record, and a quiet end when nobody reads on.
source "$(dirname "$0")/lib.sh"

[ -r "$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi" ] || fail "no real traces in '$RIGEL_TEST_DATA'"
VSCSI=$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi

# MSR: time in 100 ns, host, disk, op, offset, bytes, latency in 100 ns (1 ms and 3.5 ms).
cat >"$WORK/hand.csv" <<'CSV'
128166372000000000,db,0,Read,0,8192,10000
128166372012500000,db,1,Write,65536,4096,35000
CSV
expect_exit 0 "$RIGEL" cat "$WORK/hand.csv"
[ "$(wc -l <"$OUT")" = 3 ] || fail "a head and two lines expected"
grep -qE '^ *0\.000000000 +1000\.000 +[^ ]+ +read +0 +8192$' "$OUT" || fail "the first record"
grep -qE '^ *1\.250000000 +3500\.000 +[^ ]+ +write +65536 +4096$' "$OUT" || fail "the second record"
[ "$("$RIGEL" cat --op read "$VSCSI" | grep -c ' read ')" = 46974 ] || fail "the filter"

# CSV and JSON Lines: what the other formats' own lines say, as their heads and tables name it.
expect_exit 0 "$RIGEL" cat --to csv "$WORK/hand.csv"
expect_stdout 'queue_ns,complete_ns,device,offset_bytes,length_bytes,op'
[ "$(grep -cE '^0,1000000,0,0,8192,read$' "$OUT")" = 1 ] || fail "the first record as CSV"
[ "$(grep -cE '^1250000000,1253500000,1,65536,4096,write$' "$OUT")" = 1 ] || fail "the second as CSV"
[ "$(grep -cv '^#' "$OUT")" = 3 ] || fail "a head and two lines of CSV expected"
expect_exit 0 "$RIGEL" cat --to jsonl "$WORK/hand.csv"
python3 - "$OUT" <<'PYTHON' || fail "JSON Lines"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
records = [line for line in lines if "op" in line]
devices = [d["name"] for line in lines if "devices" in line for d in line["devices"]["entries"]]
assert len(records) == 2 and len(devices) == 2, lines
first, second = records
assert (first["queue_ns"], first["complete_ns"], first["op"]) == (0, 1000000, "read"), first
assert (first["offset_bytes"], first["length_bytes"]) == (0, 8192), first
assert (second["queue_ns"], second["complete_ns"]) == (1250000000, 1253500000), second
assert (second["device"], second["offset_bytes"], second["op"]) == (1, 65536, "write"), second
PYTHON
# What is printed is read again: the same records, line for line.
for format in csv jsonl; do
  "$RIGEL" cat --to "$format" "$VSCSI" >"$WORK/again.$format"
  "$RIGEL" cat "$VSCSI" | cmp - <("$RIGEL" cat "$WORK/again.$format") || fail "$format read again"
done

# Names are what somebody else wrote: none of them commands the terminal.
cat >"$WORK/names.jsonl" <<'JSONL'
{"rigel":"jsonl","version":1}
{"devices":{"first":0,"entries":[{"name":"\u001b[2Jsda"}]}}
{"streams":{"first":0,"entries":[{"comm":"\u001b]0;x\u0007","pid":7,"tid":7}]}}
{"queue_ns":1,"device":0,"op":"read","offset_bytes":0,"length_bytes":512,"stream":0}
{"queue_ns":1,"op":"\u001b[31m"}
JSONL
for command in cat info check; do
  "$RIGEL" "$command" "$WORK/names.jsonl" >"$OUT" 2>"$ERR" || true
  ! grep -q "$(printf '[\033\007]')" "$OUT" "$ERR" || fail "$command prints escape sequences"
done
expect_exit 1 "$RIGEL" info "$(printf 'no\033[31m-such')"
! grep -q "$(printf '\033')" "$ERR" || fail "an error prints escape sequences"

# The reader has enough after one line: nothing on standard error, and no failure.
code=0
{ "$RIGEL" cat "$VSCSI" 2>"$ERR" || code=$?; echo "$code" >"$WORK/code"; } | head -n 1 >"$OUT"
[ -s "$OUT" ] || fail "no line"
[ ! -s "$ERR" ] || fail "not quiet: $(cat "$ERR")"
[ "$(cat "$WORK/code")" = 0 ] || fail "exit $(cat "$WORK/code")"

expect_exit 2 "$RIGEL" cat
expect_exit 2 "$RIGEL" cat --to no-such-format "$VSCSI"
expect_exit 1 "$RIGEL" cat "$WORK/missing"
