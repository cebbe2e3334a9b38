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

# Nothing to model is an error, whatever the reason.
printf 'offset_bytes,length_bytes,op\n' >"$WORK/none.csv"
expect_exit 1 "$RIGEL" model "$WORK/none.csv" --cache 1G
expect_stderr "none.csv: no read or write to be modelled is in it"
# The whole LRU curve is there, goes up, and passes through what was asked.
expect_exit 0 "$RIGEL" model "$trace" --page 4k --cache 256M --json
jq -e '.results[0].hit_ratio as $asked | (.curve | length) > 100 and
       ([.curve[].hit_ratio] | . == sort) and ([.curve[].cache_bytes] | . == (sort | unique)) and
       ([.curve[] | select(.cache_bytes == 268435456) | .hit_ratio] == [$asked])' "$OUT" >/dev/null || fail "the curve"
expect_exit 1 "$RIGEL" model "$trace" --cache 1G --op discard --json
[ ! -s "$OUT" ] || fail "an answer all the same"

# A ratio of nothing is no ratio: no writes, nothing after the warm-up.
printf 'offset_bytes,length_bytes,op\n0,4096,read\n0,4096,read\n' >"$WORK/reads.csv"
expect_exit 0 "$RIGEL" model "$WORK/reads.csv" --warm-up 2 --cache 1G --curve "$WORK/none.svg" --json
for key in hit_ratio read_hit_ratio write_hit_ratio request_hit_ratio byte_hit_ratio; do
  [ "$(json_of $key)" = null ] || fail "$key of nothing: $(json_of $key)"
done
! grep -q nan "$WORK/none.svg" || fail "nan in a picture"
expect_exit 0 "$RIGEL" model "$WORK/reads.csv" --warm-up 2 --cache 1G
! grep -q '0\.00 %' "$OUT" || fail "a ratio of nothing"
expect_stdout "LRU cache for 50 %: -"
expect_exit 0 "$RIGEL" model "$WORK/reads.csv" --cache 1G --json
[ "$(json_of write_hit_ratio)" = null ] || fail "writes: $(json_of write_hit_ratio)"
[ "$(json_of read_hit_ratio)" = 0.5 ] || fail "reads: $(json_of read_hit_ratio)"
expect_exit 0 "$RIGEL" model "$WORK/reads.csv" --cache 1G --warm-up 10 --json
expect_stderr "the warm-up of 10 requests takes the whole trace (2 requests)"
[ "$(json_of hit_ratio)" = null ] || fail "hits after the warm-up: $(json_of hit_ratio)"
expect_exit 0 "$RIGEL" model "$trace" --cache 1G --warm-up 1000h
expect_stderr "takes the whole trace"

# Requests of 4 GiB in pages of 512 bytes: bounded memory, and an end at SIGINT.
for i in $(seq 200); do echo "$((i * 4294966784)),4294966784,read"; done |
  cat <(echo offset_bytes,length_bytes,op) - >"$WORK/huge.csv"
expect_exit 1 "$RIGEL" model "$WORK/huge.csv" --page 512 --cache 1G --memory 100M
expect_stderr "more than 100 MiB of memory"
"$RIGEL" model "$WORK/huge.csv" --page 512 --cache 1G --shards-pages 1000 --exact-below 0 >"$OUT" 2>"$ERR" &
interrupted=$!
until grep -q '^SigCgt:.*[2367abef]$' "/proc/$interrupted/status"; do sleep 0.05; done
kill -INT $interrupted
code=0
wait $interrupted || code=$?
expect_equal "$code" 130 "the exit code after SIGINT"
expect_stdout "accesses to pages of 512 B"

# A reader that has seen enough is no failure.
code=0
"$RIGEL" model "$trace" --page 4k --cache 1G --window 1s --json | head -1 >"$OUT" || code=$?
expect_equal "$code" 0 "the exit code when nobody reads on"

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
[ "$(json_of hit_ratio | four | head -1)" = 0.5127 ] || fail "2q on 2_pools: $(json_of hit_ratio)"

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

# An array's cache: nothing of the trace gets out of sight.
expect_exit 0 "$RIGEL" model "$trace" --page 4k --cache 64M --policy lru,arc --write back --dirty-high 0.4 \
  --destage-age 10s --read-ahead 128k --segment 64k --flash 512M --json
for key in disk_read_pages dirty_read_hits overwritten_dirty_pages destaged_by_age read_ahead_used flash_hits; do
  [ "$(json_of $key | head -1)" -gt 0 ] || fail "$key: $(json_of $key)"
done
total() { local sum=0 key; for key; do sum=$((sum + $(json_of "$key" | head -1))); done; echo $sum; }
expect_equal "$(total disk_written_pages overwritten_dirty_pages dirty_pages_at_end)" "$(json_of writes)" "pages written"
expect_equal "$(total read_ahead_used read_ahead_wasted read_ahead_unused_at_end)" "$(total read_ahead_pages)" "read ahead"
expect_exit 0 "$RIGEL" model "$trace" --page 4k --cache 64M --write through --policy all
expect_stdout "disk writes"
! grep -q '^opt' "$OUT" || fail "a bound in an array's cache"
for wrong in "--write around" "--dirty-high 0.5" "--write back --dirty-high 1.5" "--segment 6k" "--segment 1M" \
  "--write back --dirty-high 0.2 --dirty-low 0.3" "--destage-age 1s" "--read-ahead 0" "--read-ahead 128M" \
  "--flash 0" "--write back --policy opt" "--write back --shards 0.1" "--share 0" "--share 1.1"; do
  # shellcheck disable=SC2086
  expect_exit 2 "$RIGEL" model "$trace" --page 4k --cache 64M $wrong
done
expect_exit 1 "$RIGEL" model "$WORK/reads.csv" --cache 1M --write back --destage-age 1s
expect_stderr "has no time"

# A share of a cache is a smaller cache.
expect_exit 0 "$RIGEL" model "$trace" --page 4k --cache 1G --share 0.25 --json
[ "$(json_of hit_ratio | four | head -1)" = 0.2492 ] || fail "a quarter of 1G: $(json_of hit_ratio)"
expect_exit 0 "$RIGEL" model --cache 192G --share 0.5 --uniform 512G
expect_stdout "18.75 %"
for ignored in "--policy arc" "--curve $WORK/no.csv" "--warm-up 10" "--shards 0.1" "--write back" "--by device"; do
  # shellcheck disable=SC2086
  expect_exit 2 "$RIGEL" model --cache 96G --uniform 512G $ignored
done

# What the trace lacks is said, and counted.
expect_exit 0 "$RIGEL" convert "$trace" "$WORK/whole.rgt"
head -c $(($(stat -c %s "$WORK/whole.rgt") - 1000)) "$WORK/whole.rgt" >"$WORK/cut.rgt"
expect_exit 0 "$RIGEL" model "$WORK/cut.rgt" --page 4k --cache 1G --json
[ "$(json_of lost)" -gt 0 ] || fail "a cut trace lacks nothing: $(json_of lost)"
[ "$(json_of lost)" = "$(json_of lost_in_damage)" ] || fail "lost: $(json_of lost)"
expect_exit 0 "$RIGEL" model "$WORK/cut.rgt" --page 4k --cache 1G
expect_stdout "missing from the trace: "
head -c 1000 "$WORK/whole.rgt" >"$WORK/stump.rgt"
expect_exit 1 "$RIGEL" model "$WORK/stump.rgt" --cache 1G
expect_stderr "damage at byte"
expect_stderr "no read or write to be modelled"

expect_exit 2 "$RIGEL" model "$trace"
expect_stderr "cache"
expect_exit 2 "$RIGEL" model --cache 1G
expect_stderr "needs a trace"
expect_exit 2 "$RIGEL" model "$trace" --cache 4k
expect_stderr "holds no page"
expect_exit 2 "$RIGEL" model "$trace" --cache 1G,2G,1024M
expect_stderr "names 1 GiB twice"
expect_exit 2 "$RIGEL" model "$trace" --cache ""
expect_exit 2 "$RIGEL" model "$trace" --cache 1G --policy arc,lru,arc
expect_stderr "names arc twice"
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
