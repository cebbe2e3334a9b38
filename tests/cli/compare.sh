#!/usr/bin/env bash
# rigel compare: a trace beside itself, beside copies of which one thing was changed, and beside others.
source "$RIGEL_SOURCE/tests/cli/lib.sh"

TRACES=$RIGEL_TEST_DATA/traces
[ -r "$TRACES/cloudPhysicsIO.vscsi" ] || fail "no $TRACES/cloudPhysicsIO.vscsi: is RIGEL_TEST_DATA right?"

# significant: the keys of the last --json output that differ.
significant() { jq -r '[.differences[] | select(.significant) | .key] | join(" ")' "$OUT"; }

# A real trace and itself: all distances are 0.
expect_exit 0 "$RIGEL" compare "$TRACES/cloudPhysicsIO.vscsi" "$TRACES/cloudPhysicsIO.vscsi" --expect same \
  --max-difference reuse=0 --json
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
expect_equal "$(significant)" "sequential reuse" "what differs in a shuffled copy"
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/fast.csv" --json
expect_equal "$(significant)" "interarrival_ns arrivals_per_100ms" "what differs at twice the speed"
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/fast.csv"
expect_stdout "Different workloads"
expect_stdout "B is 2.0"
expect_stdout " times as fast"
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/other.csv" --expect same

# The filters apply to both.
expect_exit 0 "$RIGEL" compare "$WORK/a.csv" "$WORK/fast.csv" --op read --json
jq -e '.a.writes == 0 and .b.writes == 0 and .a.reads == .b.reads' "$OUT" >/dev/null || fail "writes are left"
expect_exit 1 "$RIGEL" compare "$WORK/a.csv" "$WORK/other.csv" --op discard
expect_stderr "a.csv: no record in it meets the filters"

# What makes no sense.
expect_exit 2 "$RIGEL" compare "$WORK/a.csv"
expect_exit 2 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" "$WORK/a.csv"
expect_exit 2 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" --expect different
for value in reuse reuse= reuse=x reuse=-1 reuse=nan reuse=1x =; do
  expect_exit 2 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" --max-difference "$value"
done
expect_exit 2 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" --max-difference nonesuch=1
expect_stderr "nonesuch"
expect_exit 2 "$RIGEL" compare "$WORK/a.csv" "$WORK/a.csv" --page 100
expect_exit 1 "$RIGEL" compare "$WORK/a.csv" "$WORK/absent.csv"
expect_stderr "absent.csv"
expect_exit 1 "$RIGEL" compare "$WORK" "$WORK/a.csv"
