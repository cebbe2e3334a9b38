#!/usr/bin/env bash
# rigel compare: a trace beside itself, beside copies of which one thing was changed, and beside others.
source "$RIGEL_SOURCE/tests/cli/lib.sh"

TRACES=$RIGEL_TEST_DATA/traces
[ -r "$TRACES/cloudPhysicsIO.vscsi" ] || fail "no $TRACES/cloudPhysicsIO.vscsi: is RIGEL_TEST_DATA right?"

# significant: the keys of the last --json output that differ.
significant() { jq -r '[.differences[] | select(.significant) | .key] | join(" ")' "$OUT"; }

# A real trace and itself: all distances are 0.
expect_exit 0 "$RIGEL" compare "$TRACES/cloudPhysicsIO.vscsi" "$TRACES/cloudPhysicsIO.vscsi" --expect same \
  --max-difference read_reuse=0 --json
[ "$(sed -n 2p "$OUT")" = '  "schema": 1,' ] || fail "schema is not the first member"
jq -e '.same and (.differences | length) >= 10 and all(.differences[]; .distance == 0 and .significant == false) and
       .most_important == []' "$OUT" >/dev/null || { cat "$OUT"; fail "a trace differs from itself"; }
expect_exit 0 "$RIGEL" compare "$TRACES/cloudPhysicsIO.vscsi" "$TRACES/cloudPhysicsIO.vscsi"
expect_stdout "The same workload"

# Two validation traces of one synthetic workload on two disks: the disks' latencies differ, nothing else.
expect_exit 3 "$RIGEL" compare "$TRACES/disksim_barracuda.trace" "$TRACES/disksim_cheetah9LP.trace" --expect same --json
expect_stderr "not met: --expect same"
expect_equal "$(significant)" "read_latency_ns write_latency_ns" "what differs between two disks"
expect_exit 3 "$RIGEL" compare "$TRACES/disksim_barracuda.trace" "$TRACES/disksim_cheetah9LP.trace" \
  --max-difference read_latency_ns=0.1 --max-difference op_mix=0.1
expect_stderr "--max-difference read_latency_ns=0.1: they are 0."
[ "$(wc -l <"$ERR")" = 1 ] || { cat "$ERR"; fail "more than what failed"; }

# A made workload: runs of 8 requests within a zone that moves on; gaps of 1 ms on average.
make_trace() { # SEED TIME_FACTOR SHUFFLE
  LC_ALL=C awk -v seed="$1" -v factor="$2" -v shuffle="$3" 'BEGIN {
    srand(seed); n = 20000; t = 0
    for (i = 0; i < n; ++i) {
      t += -log(1 - rand()) * 1000000
      time[i] = t * factor
      if (i % 8 == 0) page = int(rand() * 400) + int(i / 1000) * 500; else ++page
      offset[i] = page * 8192
      op[i] = rand() < 0.7 ? "read" : "write"
    }
    if (shuffle) for (i = n - 1; i > 0; --i) { j = int(rand() * (i + 1)); x = offset[i]; offset[i] = offset[j]; offset[j] = x }
    print "queue_ns,offset_bytes,length_bytes,op"
    for (i = 0; i < n; ++i) printf "%.0f,%.0f,8192,%s\n", time[i], offset[i], op[i]
  }'
}
make_trace 1 1 0 >"$WORK/a.csv"
make_trace 1 1 1 >"$WORK/shuffled.csv"
make_trace 1 0.5 0 >"$WORK/fast.csv"
make_trace 2 1 0 >"$WORK/other.csv"
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/shuffled.csv" --json
expect_equal "$(significant)" "read_sequential write_sequential read_reuse write_reuse" "what differs in a shuffled copy"
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/fast.csv" --json
expect_equal "$(significant)" "interarrival_ns arrivals_per_100ms" "what differs at twice the speed"
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/fast.csv"
expect_stdout "Different workloads"
expect_stdout "B is 2.0"
expect_stdout " times as fast"
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/other.csv" --expect same

# What is missing of a trace could have been anything: with more than 2 % of it lost, nothing is the same.
"$RIGEL" convert "$TRACES/cloudPhysicsIO.vscsi" "$WORK/whole.rgt"
head -c $(($(stat -c %s "$WORK/whole.rgt") * 4 / 5)) "$WORK/whole.rgt" >"$WORK/cut.rgt"
expect_exit 3 "$RIGEL" compare "$WORK/cut.rgt" "$WORK/cut.rgt" --expect same --json
"$RIGEL" info "$WORK/cut.rgt" --json 2>/dev/null |
  jq '{lost, lost_in_recording, lost_in_damage, lost_at_least, losses, damage, warnings}' >"$WORK/lost.json"
jq -e --slurpfile lost "$WORK/lost.json" '.same == null and (.a | contains($lost[0])) and (.b | contains($lost[0]))' "$OUT" >/dev/null ||
  { cat "$OUT" "$WORK/lost.json"; fail "what is lost is not told"; }
jq -e '.damage | length > 0' "$WORK/lost.json" >/dev/null || fail "nothing is lost"
expect_stderr "of its I/Os are missing"
jq -e '.unanswered | length == 2 and all(test("of its I/Os are missing"))' "$OUT" >/dev/null || { cat "$OUT"; fail "no reason why it cannot be told"; }
# In words as well: what cannot be told is not called the same.
expect_exit 0 "$RIGEL" compare "$WORK/cut.rgt" "$WORK/cut.rgt"
expect_stdout "It cannot be told whether they are the same:"
if grep "The same workload" "$OUT"; then fail "the words are not those of the JSON"; fi
# Of what is cut before its first record, the cut is told, and not filters that nobody gave.
expect_exit 1 "$RIGEL" compare <(head -c 100000 "$RIGEL_SOURCE/traces/samples/postgresql.rgt") "$WORK/whole.rgt"
expect_stderr "damage at byte"
if grep filters "$ERR"; then fail "no filter was given"; fi

# Stopped while it reads, it says nothing of the half it has.
mkfifo "$WORK/pipe"
"$RIGEL" compare "$WORK/pipe" "$WORK/a.csv" --expect same >"$OUT" 2>"$ERR" &
reader=$!
exec 9>"$WORK/pipe"
head -n 5000 "$WORK/a.csv" >&9
kill -TERM $reader
exec 9>&-
code=0; wait $reader || code=$?
expect_equal "$code" 143 "exit when stopped"
[ ! -s "$OUT" ] || { cat "$OUT"; fail "a verdict on half a trace"; }

# Pipes are read once.
expect_exit 0 "$RIGEL" compare <(cat "$WORK/a.csv") <(cat "$WORK/fast.csv") --json
expect_equal "$(significant)" "interarrival_ns arrivals_per_100ms" "what differs between two pipes"

# The filters apply to both.
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/fast.csv" --op read --json
jq -e '.a.writes == 0 and .b.writes == 0 and .a.reads == .b.reads' "$OUT" >/dev/null || fail "writes are left"
expect_exit 1 "$RIGEL" compare "$WORK/a.csv" "$WORK/other.csv" --op discard
expect_stderr "a.csv: no record in it meets the filters"

# Results: ORION's verbose lines of two LUNs, a simulated curve beside another, a trace's own times.
expect_exit 0 "$RIGEL" compare "$RIGEL_TEST_DATA/orion/seed-3tb.txt" "$RIGEL_TEST_DATA/orion/seed-3tb.txt" --expect same
expect_exit 3 "$RIGEL" compare "$RIGEL_TEST_DATA/orion/seed-3tb.txt" "$RIGEL_TEST_DATA/orion/seed-512g.txt" \
  --expect same --json
jq -e '.schema == 1 and .same == false and (.differences[] | select(.key == "iops@1") | .a == 121 and .b == 2468 and
       .significant)' "$OUT" >/dev/null || { cat "$OUT"; fail "two LUNs are not told apart"; }
for seed in 1 2; do
  "$RIGEL" simulate uniform --array disks32-96g --span 3T -n 1,8 --ios 50000 --cold --seed $seed --json >"$WORK/run$seed.json"
done
"$RIGEL" simulate uniform --array disks32-96g --span 64M -n 1,8 --ios 20000 --json >"$WORK/small.json"
expect_exit 0 "$RIGEL" compare "$WORK/run1.json" "$WORK/run2.json" --expect same --json
jq -e '[.differences[] | select(.key | test("p9999?@") | not) | .a_interval.low] | all(. != null)' "$OUT" >/dev/null || { cat "$OUT"; fail "no intervals"; }
expect_exit 3 "$RIGEL" compare "$WORK/run1.json" "$WORK/small.json" --max-difference latency_ns@8=0.01
expect_stderr "--max-difference latency_ns@8=0.01"
expect_stdout "latency_distribution_ns.p50@8"
printf 'outstanding,iops\n5,100\n' >"$WORK/five.csv"
expect_exit 0 "$RIGEL" compare "$WORK/run1.json" "$WORK/five.csv" --json
jq -e 'any(.differences[]; .key == "iops@5")' "$OUT" >/dev/null || { cat "$OUT"; fail "a load between two others"; }
printf 'outstanding,iops\n9,100\n' >"$WORK/nine.csv"
expect_exit 1 "$RIGEL" compare "$WORK/run1.json" "$WORK/nine.csv"
expect_stderr "no load in common"
# What a run is too short to tell is not the same: a p99 ten times as long, of I/Os that wait in one queue.
jq '.points[1].latency_distribution_ns |= (.p99 *= 10 | .p999 *= 10 | .p9999 *= 10)' "$WORK/run1.json" >"$WORK/worse.json"
expect_exit 3 "$RIGEL" compare "$WORK/run1.json" "$WORK/worse.json" --expect same --json
jq -e '.same == false and (.most_important[0].key | startswith("latency_distribution_ns.p99"))' "$OUT" >/dev/null ||
  { cat "$OUT"; fail "a p99 ten times as long"; }
"$RIGEL" simulate uniform --array disks32-96g --span 3T -n 8 --ios 3000 --cold --json >"$WORK/brief.json"
jq '.points[0].latency_distribution_ns |= (.p99 *= 2)' "$WORK/brief.json" |
  jq '.points[0].latency_distribution_ns |= (.p999 = .p99 * 2 | .p9999 = .p99 * 2)' >"$WORK/brief2.json"
expect_exit 3 "$RIGEL" compare "$WORK/brief.json" "$WORK/brief2.json" --expect same --json
expect_stderr "not met: --expect same: latency_distribution_ns.p99@8: "
expect_stderr "too few I/Os to tell"
jq -e '.same == null' "$OUT" >/dev/null || { cat "$OUT"; fail "what cannot be told is the same"; }
echo '{"schema": 1, "iops": 199, "issued": 10000, "service_time_ns": {"mean": 4e6, "p50": 1e6, "p90": 9e6, "p99": 2e7}}' \
  >"$WORK/replay.json"
expect_exit 0 "$RIGEL" compare "$TRACES/disksim_barracuda.trace" "$WORK/replay.json" --json
jq -e 'any(.differences[]; .key == "service_time_ns.p50") and any(.differences[]; .key == "iops")' "$OUT" >/dev/null ||
  { cat "$OUT"; fail "a trace beside a result"; }

# Results come from pipes, standard input and compressed files as well.
gzip -k "$WORK/run1.json"
zstd -q "$WORK/nine.csv"
expect_exit 0 "$RIGEL" compare <(cat "$WORK/run1.json") "$WORK/run1.json.gz" --expect same
expect_exit 0 "$RIGEL" compare <(cat "$WORK/five.csv") "$WORK/run1.json.gz"
expect_exit 0 "$RIGEL" compare <(gzip -c "$RIGEL_TEST_DATA/orion/seed-3tb.txt") "$RIGEL_TEST_DATA/orion/seed-3tb.txt" --expect same
expect_exit 0 "$RIGEL" compare "$WORK/nine.csv.zst" "$WORK/nine.csv" --expect same
"$RIGEL" compare - "$WORK/run1.json" --expect same <"$WORK/run2.json" >/dev/null || fail "a result on standard input"
"$RIGEL" compare - "$WORK/a.csv" --expect same <"$WORK/a.csv" >/dev/null || fail "a trace on standard input"

# Another version of the results is refused, wherever it stands.
for change in '.schema = 2' 'del(.schema)'; do
  jq "$change" "$WORK/run1.json" >"$WORK/version.json"
  expect_exit 1 "$RIGEL" compare "$WORK/run1.json" "$WORK/version.json"
  expect_stderr "version.json: "
  expect_stderr "schema"
done

# A prediction beside the reads of a trace of which 60 % take 0.3 ms and the others 8 ms, more or less.
LC_ALL=C awk 'BEGIN {
  srand(3); print "queue_ns,complete_ns,offset_bytes,length_bytes,op"
  for (i = 0; i < 20000; ++i) {
    latency = rand() < 0.6 ? 300000 * exp(0.2 * (rand() + rand() + rand() - 1.5) * 2) : -log(1 - rand()) * 8000000
    printf "%.0f,%.0f,%.0f,8192,read\n", i * 1000000, i * 1000000 + latency, int(rand() * 10000) * 8192
  }}' >"$WORK/hits.csv"
LC_ALL=C awk -F, 'NR > 1 { $2 = sprintf("%.0f", $1 + 8000000 + NR % 1000 * 1000) } { print }' OFS=, "$WORK/hits.csv" >"$WORK/one.csv"
echo '{"schema": 1, "results": [{"policy": "lru", "cache_bytes": 4096, "read_request_hit_ratio": 0.6},
  {"policy": "lru", "cache_bytes": 8192, "read_hit_ratio": 0.9}]}' >"$WORK/model.json"
expect_exit 0 "$RIGEL" compare "$WORK/hits.csv" --predicted "$WORK/model.json" --json
jq -e '.schema == 1 and .same == false and .differences[0].key == "hit_ratio.lru@4096" and
       (.differences | map(.significant)) == [false, true] and .prediction.low <= 0.6 and .prediction.high >= 0.6 and
       .prediction.high - .prediction.low < 0.05 and (.prediction.windows | length) >= 32' "$OUT" >/dev/null ||
  { cat "$OUT"; fail "the implied hit ratio"; }
expect_exit 3 "$RIGEL" compare "$WORK/hits.csv" "$WORK/hits.csv" --predicted "$WORK/model.json" --expect same \
  --max-difference hit_ratio.lru@8192=0.1
expect_stderr "--max-difference hit_ratio.lru@8192=0.1: they are 0."
expect_stdout "predicted for lru of 4 KiB: 60.0 %: agrees"
expect_exit 0 "$RIGEL" compare "$WORK/hits.csv" --predicted "$WORK/model.json" --hit-below 1ms
expect_stdout "hits taken to be below 1.00 ms"
expect_exit 3 "$RIGEL" compare "$WORK/one.csv" --predicted "$WORK/model.json" --expect same
expect_stdout "one population"
expect_stderr "read latencies are one population"
expect_exit 0 "$RIGEL" compare "$WORK/one.csv" --predicted "$WORK/model.json" --json
jq -e '.same == null and (.prediction.cannot_tell | test("one population"))' "$OUT" >/dev/null || { cat "$OUT"; fail "an unanswered question"; }
# Damage is told here as well.
LC_ALL=C awk -F, 'NR == 1 { print; next } { line[NR] = $0 } END {
  for (k = 0; k < 5; ++k) for (i = 2; i <= NR; ++i) {
    split(line[i], f, ","); printf "%.0f,%.0f,%s,%s,%s\n", f[1] + k * 2e10, f[2] + k * 2e10, f[3], f[4], f[5] } }' \
  "$WORK/hits.csv" | "$RIGEL" convert - "$WORK/hits.rgt"
head -c $(($(stat -c %s "$WORK/hits.rgt") * 4 / 5)) "$WORK/hits.rgt" >"$WORK/cut_hits.rgt"
expect_exit 0 "$RIGEL" compare "$WORK/cut_hits.rgt" --predicted <(jq '.results |= .[:1]' "$WORK/model.json") --json
jq -e '.same == null and (.a | .lost > 0 or .lost_at_least)' "$OUT" >/dev/null || { cat "$OUT"; fail "what one input has lost"; }
# What the model's trace has lost is told as what a trace has lost: from 2 % on, or when nobody knows how much.
for change in '.lost = 4000' '.lost = 0 | .lost_at_least = true'; do
  jq ".requests = 20000 | .lost_at_least = false | .results |= .[:1] | $change" "$WORK/model.json" >"$WORK/lossy.json"
  expect_exit 3 "$RIGEL" compare "$WORK/hits.csv" --predicted "$WORK/lossy.json" --expect same --json
  expect_stderr "lossy.json: "
  expect_stderr "of its I/Os are missing"
  jq -e --slurpfile model "$WORK/lossy.json" '.same == null and .prediction.lost == $model[0].lost and .a.name != null' "$OUT" >/dev/null ||
    { cat "$OUT"; fail "what the model has lost"; }
done
jq '.requests = 20000 | .lost = 100 | .results |= .[:1]' "$WORK/model.json" >"$WORK/lossy.json"
expect_exit 0 "$RIGEL" compare "$WORK/hits.csv" --predicted "$WORK/lossy.json" --expect same
# fio's JSON: of reads and writes, the reads; without percentiles, or without reads, that is said.
jq -n 'def part($p50): {total_ios: 10000, iops: 100, bw_bytes: 1e6, clat_ns: {mean: $p50,
    percentile: {"1.000000": $p50, "60.000000": $p50, "61.000000": ($p50 * 20), "99.990000": ($p50 * 20)}}};
  {"fio version": "fio-3.33", jobs: [{error: 0, read: part(300000)}, {error: 0, write: part(9000000)}]}' >"$WORK/fio.json"
expect_exit 0 "$RIGEL" compare "$WORK/fio.json" --predicted <(jq '.results |= .[:1]' "$WORK/model.json") --hit-below 1ms --expect same
expect_stdout "implied by read latencies: 60."
jq 'del(.jobs[0])' "$WORK/fio.json" >"$WORK/writes.json"
expect_exit 1 "$RIGEL" compare "$WORK/writes.json" --predicted "$WORK/model.json" --hit-below 1ms
expect_stderr "writes.json: no latency of a read in it"
jq 'del(.jobs[0].read.clat_ns.percentile)' "$WORK/fio.json" >"$WORK/means.json"
expect_exit 1 "$RIGEL" compare "$WORK/means.json" --predicted "$WORK/model.json" --hit-below 1ms
expect_stderr "means.json: no percentiles of latency in it"
jq '.jobs[1].error = 5' "$WORK/fio.json" >"$WORK/failed.json"
expect_exit 3 "$RIGEL" compare "$WORK/fio.json" "$WORK/failed.json" --expect same --max-difference read_service_time_ns.p50=0
expect_stdout "failed_jobs"
for text in '{"x": 1}' 'fio: err=5'; do
  { [[ $text == fio* ]] && echo "$text"; cat "$WORK/fio.json"; echo "$text"; } >"$WORK/mixed.json"
  expect_exit 1 "$RIGEL" compare "$WORK/mixed.json" "$WORK/fio.json"
  expect_stderr "mixed.json: fio's JSON, but not only that"
done
# A cache before flash before disks; a border below all percentiles; 100 reads with another ratio.
LC_ALL=C awk 'BEGIN {
  srand(4); print "queue_ns,complete_ns,offset_bytes,length_bytes,op"
  for (i = 0; i < 20000; ++i) {
    kind = rand(); spread = exp(0.4 * (rand() + rand() + rand() - 1.5))
    latency = spread * (kind < 0.1 ? 200000 : kind < 0.5 ? 1200000 : 9000000)
    printf "%.0f,%.0f,%.0f,8192,read\n", i * 1000000, i * 1000000 + latency, int(rand() * 10000) * 8192
  }}' >"$WORK/three.csv"
expect_exit 3 "$RIGEL" compare "$WORK/three.csv" --predicted "$WORK/model.json" --expect same
expect_stdout "more than hits and misses"
head -n 181 "$WORK/hits.csv" >"$WORK/few.csv"
expect_exit 3 "$RIGEL" compare "$WORK/few.csv" --predicted <(jq '.results[0].read_request_hit_ratio = 0.99' "$WORK/model.json") --expect same
expect_exit 1 "$RIGEL" compare "$WORK/a.csv" --predicted "$WORK/model.json"
expect_stderr "a.csv: no latency of a read is known in it"
expect_exit 2 "$RIGEL" compare "$WORK/replay.json" --predicted "$WORK/model.json"
expect_stderr "give --hit-below"
expect_exit 0 "$RIGEL" compare "$WORK/replay.json" --predicted "$WORK/model.json" --hit-below 1ms
expect_exit 0 "$RIGEL" compare "$WORK/replay.json" --predicted "$WORK/model.json" --hit-below 1us --json
jq -e '.same == null and .prediction.low == 0 and .prediction.high > 0.5' "$OUT" >/dev/null || { cat "$OUT"; fail "a border below all percentiles"; }
expect_exit 1 "$RIGEL" compare "$WORK/hits.csv" --predicted "$WORK/run1.json"
expect_stderr "not what 'rigel model --json' prints"
expect_exit 2 "$RIGEL" compare "$WORK/hits.csv" "$WORK/hits.csv" --hit-below 1ms
jq '.schema = 2' "$WORK/model.json" >"$WORK/model2.json"
expect_exit 1 "$RIGEL" compare "$WORK/hits.csv" --predicted "$WORK/model2.json"
expect_stderr "model2.json: schema 2 where this rigel knows 1"

# The fio job that comes closest to A: fio takes it; the knobs are those in which B's would differ.
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/fast.csv" --fio "$WORK/a.fio" --json
jq -e '(.knobs | map(.name)) == ["rate_iops"] and .fio.settings.rw == "randrw"' "$OUT" >/dev/null ||
  { cat "$OUT"; fail "the knob to turn"; }
# A rate that differs by chance is not to be turned: places are.
make_trace 2 1 1 >"$WORK/elsewhere.csv"
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/elsewhere.csv" --json
jq -e '(.knobs | map(.name)) as $names | .same == false and ($names | index("percentage_random")) != null and
       ($names - ["rw", "percentage_random", "size", "random_distribution", "blockalign"]) == []' "$OUT" >/dev/null ||
  { cat "$OUT"; fail "a knob that moves nothing that differs"; }
fio --parse-only "$WORK/a.fio" || { cat "$WORK/a.fio"; fail "fio does not take the job"; }
expect_exit 0 "$RIGEL" compare "$TRACES/cloudPhysicsIO.vscsi" "$TRACES/mqsim_tpcc-small.trace" --fio "$WORK/real.fio"
expect_stdout "What of B to turn, in fio's words:"
fio --parse-only "$WORK/real.fio" || { cat "$WORK/real.fio"; fail "fio does not take the job of a real trace"; }
# Run by fio (which issues nothing with its null engine, and logs queued I/O twice), the job is the
# workload again but for its times.
run_by_fio() {  # JOB IOS: to JOB.log
  sed -i -e 's/io_uring/null/' -e '/^direct/d' -e '/^rate/d' -e '/^time_based/d' -e "s/^runtime.*/number_ios=$2\nio_size=1T/" \
    -e 's/^iodepth.*/iodepth=1/' -e 's/^randrepeat.*/randrepeat=1/' "$WORK/$1"
  (cd "$WORK" && fio "$1" --write_iolog="$1.log" >fio.out 2>&1) || { cat "$WORK/fio.out"; fail "fio does not run $1"; }
}
LC_ALL=C awk 'BEGIN {
  srand(5); n = 20000; blocks = 20000
  for (i = 1; i <= blocks; ++i) { sum += i ^ -0.9; below[i] = sum }
  print "queue_ns,offset_bytes,length_bytes,op"
  for (k = 0; k < n; ++k) {
    u = rand() * sum; low = 1; high = blocks
    while (low < high) { middle = int((low + high) / 2); if (below[middle] < u) low = middle + 1; else high = middle }
    printf "%.0f,%.0f,8192,%s\n", k * 500000, low * 7919 % blocks * 8192, rand() < 0.7 ? "read" : "write"
  }}' >"$WORK/zipf.csv"
expect_exit 0 "$RIGEL" compare "$WORK/zipf.csv" "$WORK/zipf.csv" --fio "$WORK/zipf.fio"
run_by_fio zipf.fio 20000
expect_exit 0 "$RIGEL" compare "$WORK/zipf.csv" "$WORK/zipf.fio.log" --json
jq -e '[.differences[] | select(.significant) | .key] - ["interarrival_ns", "arrivals_per_100ms", "unevenness"] == []' \
  "$OUT" >/dev/null || { cat "$OUT"; fail "the job is another workload"; }
jq -e 'all(.differences[] | select(.key | test("_reuse$")); .distance < 0.03)' "$OUT" >/dev/null || { cat "$OUT"; fail "reuse"; }
# That of a real database, of many sizes: footprint, hot spots and bytes are near. (Flushes are left out.)
expect_exit 0 "$RIGEL" compare "$RIGEL_SOURCE/traces/samples/postgresql.rgt" "$RIGEL_SOURCE/traces/samples/postgresql.rgt" --fio "$WORK/pg.fio"
run_by_fio pg.fio "$(jq '.reads + .writes' <("$RIGEL" info "$RIGEL_SOURCE/traces/samples/postgresql.rgt" --json))"
expect_exit 0 "$RIGEL" compare "$RIGEL_SOURCE/traces/samples/postgresql.rgt" "$WORK/pg.fio.log" --json
jq -e '[.differences[] | {(.key): .distance}] | add |
       .footprint_bytes < 0.05 and .hot_spots < 0.05 and .read_bytes < 0.05 and .write_bytes < 0.05' \
  "$OUT" >/dev/null || { cat "$OUT"; fail "the job of a real database is another workload"; }
expect_exit 2 "$RIGEL" compare "$WORK/replay.json" "$WORK/a.csv" --fio "$WORK/b.fio"
expect_exit 1 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" --fio "$WORK/absent/b.fio"
expect_stderr "absent/b.fio"

# No input is written over, whatever its name.
ln -s a.csv "$WORK/link.csv"
cp "$WORK/a.csv" "$WORK/kept.csv"
for input in "$WORK/a.csv" "$WORK/link.csv"; do
  expect_exit 2 "$RIGEL" compare "$WORK/fast.csv" "$WORK/a.csv" --fio "$input"
  expect_stderr "is both input and output"
done
expect_exit 2 "$RIGEL" compare "$WORK/hits.csv" --predicted "$WORK/model.json" --fio "$WORK/model.json"
cmp "$WORK/a.csv" "$WORK/kept.csv" && jq -e .results "$WORK/model.json" >/dev/null || fail "an input was written over"

# What makes no sense.
expect_exit 2 "$RIGEL" compare "$WORK/a.csv"
expect_exit 2 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" "$WORK/a.csv"
expect_exit 2 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" --expect different
for value in read_reuse read_reuse= read_reuse=x read_reuse=-1 read_reuse=nan read_reuse=1x =; do
  expect_exit 2 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" --max-difference "$value"
done
expect_exit 2 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" --max-difference nonesuch=1
expect_stderr "nonesuch"
expect_exit 2 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" --page 100
expect_exit 1 "$RIGEL" compare "$WORK/a.csv" "$WORK/absent.csv"
expect_stderr "absent.csv"
expect_exit 1 "$RIGEL" compare "$WORK" "$WORK/a.csv"
