#!/usr/bin/env bash
# rigel model on the command line: the figures of the reference table, and what it refuses.
source "$(dirname "$0")/lib.sh"

trace=$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi
[ -r "$trace" ] || fail "no $trace: is RIGEL_TEST_DATA right?"

# json_of KEY: the values of a key of the last output, one a line.
json_of() { sed -nE "s/^ *\"$1\": ([^,]*),?$/\1/p" "$OUT"; }
four() { while read -r value; do LC_ALL=C printf '%.4f\n' "$value"; done; }

expect_exit 0 "$RIGEL" model "$trace" --page 4k --cache 256M,525.80078125M --policy lru,fifo --json
[ "$(sed -n 2p "$OUT")" = '  "schema": 1,' ] || fail "schema is not the first member"
[ "$(json_of accesses)" = 1141869 ] || fail "accesses: $(json_of accesses)"
[ "$(json_of distinct_pages)" = 269210 ] || fail "pages: $(json_of distinct_pages)"
[ "$(json_of hit_ratio | four | sed -n '1p;2p;4p' | xargs)" = "0.2492 0.5267 0.5430" ] ||
  fail "hit ratios: $(json_of hit_ratio)"
[ "$(json_of request_hit_ratio | four | head -1)" = 0.3459 ] || fail "request hit ratio"

# The same whatever the number of threads.
cp "$OUT" "$WORK/one"
expect_exit 0 "$RIGEL" model "$trace" --page 4k --cache 256M,525.80078125M --policy lru,fifo --json --threads 3
cmp "$OUT" "$WORK/one" || fail "the number of threads changes the answer"

expect_exit 0 "$RIGEL" model "$trace" --page 4k --cache 256M
expect_stdout "24.92 %"
expect_stdout "1,141,869 accesses"

expect_exit 2 "$RIGEL" model "$trace"
expect_stderr "cache"
expect_exit 2 "$RIGEL" model --cache 1G
expect_stderr "needs a trace"
expect_exit 2 "$RIGEL" model "$trace" --cache 4k
expect_stderr "holds no page"
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --policy best
expect_stderr "no cache policy 'best'"
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --page 1000
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --page 0
expect_exit 1 "$RIGEL" model "$WORK/none" --cache 1G
expect_stderr "$WORK/none"
expect_exit 1 "$RIGEL" model "$WORK" --cache 1G
