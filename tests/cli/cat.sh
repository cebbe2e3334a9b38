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

# The reader has enough after one line: nothing on standard error, and no failure.
code=0
{ "$RIGEL" cat "$VSCSI" 2>"$ERR" || code=$?; echo "$code" >"$WORK/code"; } | head -n 1 >"$OUT"
[ -s "$OUT" ] || fail "no line"
[ ! -s "$ERR" ] || fail "not quiet: $(cat "$ERR")"
[ "$(cat "$WORK/code")" = 0 ] || fail "exit $(cat "$WORK/code")"

expect_exit 2 "$RIGEL" cat
expect_exit 2 "$RIGEL" cat --to no-such-format "$VSCSI"
expect_exit 1 "$RIGEL" cat "$WORK/missing"
