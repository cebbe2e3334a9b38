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

# The founding question: the first thing printed is the number.
expect_exit 0 "$RIGEL" model --cache 96G --uniform 512G --page 8k --iops 4500
[ "$(head -c 7 "$OUT")" = "18.75 %" ] || fail "not 18.75 % first: $(head -1 "$OUT")"
expect_stdout "51.6 minutes"
expect_exit 0 "$RIGEL" model --cache 96G --uniform 3T --page 8k
[ "$(head -c 7 "$OUT")" = "3.125 %" ] || fail "not 3.125 % first: $(head -1 "$OUT")"
expect_exit 0 "$RIGEL" model --cache 4G --zipf 1 --span 4G --json
[ "$(json_of hit_ratio | head -1)" = 1.0 ] || fail "a cache as large as the span does not always hit"
expect_exit 2 "$RIGEL" model --cache 96G --zipf 1
expect_stderr "--span"
expect_exit 2 "$RIGEL" model --cache 96G --uniform 512G "$trace"
expect_exit 2 "$RIGEL" model --cache 96G --uniform 4k
expect_stderr "holds no page"

# Traces of page numbers, as the LIRS paper's: 2Q at 400 pages is in the reference table.
expect_exit 0 "$RIGEL" model "$RIGEL_TEST_DATA/traces/lirs_2_pools.trace.gz" --page 4k --cache 1600k --policy 2q --json
[ "$(json_of hit_ratio | four)" = 0.5127 ] || fail "2q on 2_pools: $(json_of hit_ratio)"

# Samples come with an interval around the exact value, and without ratios by request.
expect_exit 0 "$RIGEL" model "$trace" --page 4k --cache 525.80078125M --shards 0.1 --exact-below 0 --json
[ "$(json_of request_hit_ratio)" = null ] || fail "a request hit ratio out of a sample"
for key in low high; do [ -n "$(json_of $key)" ] || fail "no $key"; done
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --shards 0
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --shards 0.1 --samples 1
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --samples 4

# The curve as a file, groups and windows.
expect_exit 0 "$RIGEL" model "$trace" --page 4k --cache 1G --curve "$WORK/curve.csv" --by device --window 10m
[ "$(head -1 "$WORK/curve.csv" | cut -d, -f1,2)" = "cache_bytes,hit_ratio" ] || fail "csv heading"
[ "$(awk -F, '$1 == 268435456 { printf "%.4f", $2 }' "$WORK/curve.csv")" = 0.2492 ] || fail "csv value"
expect_stdout "working set"
expect_exit 0 "$RIGEL" model "$trace" --page 4k --cache 1G --curve "$WORK/curve.svg"
grep -q '</svg>' "$WORK/curve.svg" || fail "no svg"
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --curve "$WORK/curve.pdf"
expect_exit 1 "$RIGEL" model "$trace" --cache 1G --curve "$WORK/none/curve.csv"
expect_stderr "$WORK/none/curve.csv"
if [ -w /dev/full ]; then
  ln -s /dev/full "$WORK/full.csv"
  expect_exit 1 "$RIGEL" model "$trace" --cache 1G --curve "$WORK/full.csv"
fi

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
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --threads 0
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --warm-up soon
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --by name
expect_exit 1 "$RIGEL" model "$WORK/none" --cache 1G
expect_stderr "$WORK/none"
expect_exit 1 "$RIGEL" model "$WORK" --cache 1G
