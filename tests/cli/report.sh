#!/usr/bin/env bash
# A report takes recordings, results and ORION's files by content, refuses anything else by name, and
# writes nothing then; what hostile names look like is text in it.
source "$RIGEL_SOURCE/tests/cli/lib.sh"

orion=$RIGEL_TEST_DATA/orion
[ -d "$orion" ] || fail "there is no $orion"
sample=$RIGEL_SOURCE/traces/samples/postgresql.rgt

# data FILTER: of what the page gives its script.
data() { sed -n 's/.*id="results">\(.*\)<\/script>.*/\1/p' "$WORK/page.html" | jq -ec "$1" >"$WORK/data" || fail "no: $1"; }

"$RIGEL" model "$sample" --cache 8M,64M --json >"$WORK/model.json"
"$RIGEL" simulate uniform --array disks32-96g --span 3T -n 1,8,64 --analytic --json >"$WORK/simulate.json"
"$RIGEL" simulate uniform --array disks32-96g --span 3T -n 1,8,64 --analytic --csv >"$WORK/curve.csv"
"$RIGEL" info "$sample" --json >"$WORK/info.json"
gzip -c "$WORK/model.json" >"$WORK/packed.json.gz"
expect_exit 0 "$RIGEL" report "$sample" "$WORK/info.json" "$WORK/model.json" "$WORK/packed.json.gz" "$WORK/simulate.json" \
  "$WORK/curve.csv" "$orion/seed-3tb.txt" "$orion"/{iops,lat,mbps}-11.1.csv -o "$WORK/page.html"
data '[.inputs[].kind] == ["trace", "trace", "model", "model", "curve", "curve", "curve", "curve"]'
data '.inputs[0].result.records == 55932 and .inputs[0].result.records == .inputs[1].result.records'
data '.inputs[-2] | .name == "seed-3tb.txt" and (.result.points | length) == 27 and .result.points[-1].iops == 5533'
data '.inputs[-1] | .name == "iops-11.1.csv, lat-11.1.csv, mbps-11.1.csv" and
       ([.result.points[] | select(.outstanding == 5)] == [{outstanding: 5, outstanding_large: 0, iops: 6210, bytes_per_second: 0, latency_ns: 800000, hit_ratio: null}]) and
       (.result.points[-1] | .outstanding_large == 2 and (.bytes_per_second / 1048576 - 374.26 | fabs) < 0.01)'
[ "$(stat -c %s "$WORK/page.html")" -lt 2000000 ] || fail "the page is too large"

# A format that cannot be told by its looks has to be named.
zcat "$RIGEL_TEST_DATA/traces/lirs_2_pools.trace.gz" >"$WORK/pages"
expect_exit 0 "$RIGEL" report "$WORK/pages" "$WORK/model.json" --format lirs -o "$WORK/page.html"
data '[.inputs[].kind] == ["trace", "model"] and .inputs[0].result.records > 1000'

# The keys of a result may be in any order.
for kind in model simulate info; do jq -S . "$WORK/$kind.json" >"$WORK/sorted-$kind.json"; done
expect_exit 0 "$RIGEL" report "$WORK"/sorted-{model,simulate,info}.json -o "$WORK/page.html"
data '[.inputs[].kind] == ["model", "curve", "trace"]'
# What fio prints is one point of a load curve.
echo '{"fio version": "fio-3.33", "jobs": [{"read": {"total_ios": 10, "iops": 100, "bw_bytes": 819200, "clat_ns": {"mean": 5000000}}}]}' >"$WORK/fio.json"
expect_exit 0 "$RIGEL" report "$WORK/fio.json" -o "$WORK/page.html"
data '.inputs[0] | .kind == "curve" and (.result.points[0] | .iops == 100 and .latency_ns == 5000000 and .outstanding == 0.5)'
# A comparison that cannot tell is one too.
echo '{"schema": 1, "same": null, "differences": [], "unmet": []}' >"$WORK/undecided.json"
expect_exit 0 "$RIGEL" report "$WORK/undecided.json" -o "$WORK/page.html"
data '[.inputs[].kind] == ["comparison"]'

# Stopped while it reads (the same recording a hundred times): no page, and the one there was stays.
before=$(sha256sum <"$WORK/page.html")
recordings=()
for _ in $(seq 100); do recordings+=("$sample"); done
"$RIGEL" report "${recordings[@]}" -o "$WORK/page.html" 2>"$ERR" &
report=$!
# As soon as the signal has a handler; reading begins then.
until (( 0x$(sed -n 's/^SigCgt:\s*//p' "/proc/$report/status") & 2 )); do
  kill -0 $report 2>/dev/null || fail "it ended before it was stopped"
done
kill -INT $report
code=0
wait $report || code=$?
expect_equal $code 130 "exit code of a report that was stopped"
expect_stderr "no page is written"
expect_equal "$(sha256sum <"$WORK/page.html")" "$before" "the page before it"

# What is nothing of rigel's is refused by name, and the page there was stays.
before=$(sha256sum <"$WORK/page.html")
printf 'x\0y' >"$WORK/binary"
: >"$WORK/empty"
echo '{"schema": 1, "arrays": []}' >"$WORK/arrays.json"
echo '{"schema": 2, "points": []}' >"$WORK/later.json"
echo '{"schema": 1, "points": [' >"$WORK/cut.json"
echo '{"schema": "1", "points": []}' >"$WORK/text.json"
echo '{"points": []}' >"$WORK/none.json"
mkfifo "$WORK/pipe"
for bad in /etc/passwd /dev/null "$WORK/pipe" "$WORK/binary" "$WORK/empty" "$WORK/arrays.json" "$WORK/later.json" "$WORK/cut.json" \
  "$WORK/text.json" "$WORK/none.json" "$WORK/missing" "$WORK"; do
  expect_exit 1 "$RIGEL" report "$sample" "$bad" -o "$WORK/page.html"
  expect_stderr "$bad"
  expect_equal "$(wc -l <"$ERR")" 1 "lines of the error about $bad"
done
expect_equal "$(sha256sum <"$WORK/page.html")" "$before" "the page that was there"

expect_exit 2 "$RIGEL" report "$sample"
expect_stderr "needs -o"
expect_exit 2 "$RIGEL" report -o "$WORK/page.html"
expect_stderr "needs recordings or results"
expect_exit 2 "$RIGEL" report "$WORK/model.json" -o "$WORK/model.json"
expect_stderr "is both input and output"
expect_exit 1 "$RIGEL" report "$sample" -o /dev/full
expect_stderr "/dev/full"
expect_stderr "No space left on device"
expect_exit 0 "$RIGEL" report "$sample" -o -
expect_stdout "</html>"

# A process and a file of a hostile name.
cat >"$WORK/<script>alert(1)<.csv" <<'CSV'
queue_ns,complete_ns,op,offset_bytes,length_bytes,device,comm
0,1000000,read,0,8192,</script><script>document.title='owned'</script>,<img src=x onerror=alert(2)>
CSV
expect_exit 0 "$RIGEL" report "$WORK/<script>alert(1)<.csv" -o "$WORK/page.html"
data '.inputs[0].name == "<script>alert(1)<.csv" and .inputs[0].result.records == 1'
expect_equal "$(grep -c "owned'</script>\|<img" "$WORK/page.html" || true)" 0 "lines with markup of the trace's"
