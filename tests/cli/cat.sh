#!/usr/bin/env bash
# rigel cat: a line a record, and a quiet end when nobody reads on.
source "$(dirname "$0")/lib.sh"

[ -r "$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi" ] || fail "no real traces in '$RIGEL_TEST_DATA'"
VSCSI=$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi

[ "$("$RIGEL" cat --to jsonl --op read "$VSCSI" | grep -c offset)" = 46974 ] || fail "lines"
"$RIGEL" cat --to csv --every 1000 "$VSCSI" >"$WORK/some.csv"
[ "$("$RIGEL" cat --to jsonl "$WORK/some.csv" | wc -l)" = 114 ] || fail "every 1000th"
"$RIGEL" cat "$VSCSI" | grep -q . || fail "text"

# The reader has enough after one line: nothing on standard error, and no failure.
code=0
{ "$RIGEL" cat "$VSCSI" 2>"$ERR" || code=$?; echo "$code" >"$WORK/code"; } | head -n 1 >"$OUT"
[ -s "$OUT" ] || fail "no line"
[ ! -s "$ERR" ] || fail "not quiet: $(cat "$ERR")"
[ "$(cat "$WORK/code")" = 0 ] || fail "exit $(cat "$WORK/code")"

expect_exit 2 "$RIGEL" cat
expect_exit 2 "$RIGEL" cat --to no-such-format "$VSCSI"
expect_exit 1 "$RIGEL" cat "$WORK/missing"
