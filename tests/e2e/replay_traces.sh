#!/usr/bin/env bash
# Public traces as recorded, ten times as fast and flat out: every I/O of theirs is issued once, by the
# number that is published or that their own text has, as the kernel counts and records it.
source "$(dirname "$0")/replay_lib.sh"
need_tools jq
traces=$RIGEL_TEST_DATA/traces
[ -d "$traces" ] || fail "there is no $traces"
loop_device disk 128M

# issues READS WRITES TRACE OPTIONS…: so many, and without --write the writes are told and left out.
issues() {
  local reads=$1 writes=$2 trace=$3 before written left_out=0 counts
  shift 3
  before=$(asked_of "$DEVICE" $READS) written=$(asked_of "$DEVICE" $WRITES)
  # A busy machine may make it unfaithful (exit 3), never incomplete.
  replay "0 3" --fit wrap "$@" --target "$DEVICE" "$traces/$trace"
  if [[ " $* " != *" --write "* ]]; then
    # With it, what lies on the target is looked at first, and these reads count too.
    expect_equal $(($(asked_of "$DEVICE" $READS) - before)) "$reads" "reads of $trace that the kernel counted ($*)"
    left_out=$writes writes=0
  fi
  expect_equal $(($(asked_of "$DEVICE" $WRITES) - written)) "$writes" "writes of $trace that the kernel counted ($*)"
  counts=$(jq -r '[.records, .issued, .not_issued["write without --write"] // 0, (.not_issued | add), (.errors | add)] | map(. // 0) | @tsv' "$OUT" | tr '\t' ' ')
  expect_equal "$counts" "$((reads + writes + left_out)) $((reads + writes)) $left_out $left_out 0" \
    "records, issued, writes left out, all left out, failed of $trace ($*)"
}
# of_mqsim TYPE TRACE [SECONDS]: I/Os of a type (0 write, 1 read) by the text, of the first seconds.
of_mqsim() { awk -v type="$1" -v until="${3:-1e9}" '$5 == type && $1 < until * 1e9 {++n} END {print n + 0}' "$traces/$2"; }
bytes_of_mqsim() {
  awk -v type="$1" -v until="${3:-1e9}" '$5 == type && $1 < until * 1e9 {n += 512 * $4} END {printf "%.0f\n", n}' "$traces/$2"
}

tpcc=mqsim_tpcc-small.trace search=mqsim_wsrch-small.trace
reads=$(of_mqsim 1 $tpcc) writes=$(of_mqsim 0 $tpcc)
expect_equal $((reads + writes)) 6999 "requests of the published TPC-C trace"
start_capture "$WORK/kernel.rgt" -d "$DEVICE"
issues "$reads" "$writes" $tpcc --write
issues "$reads" "$writes" $tpcc --write --speed 10
issues "$reads" "$writes" $tpcc --write --flat-out
# A second of the recorded hour as it was, ten of them in another one.
for pace in 1 10; do
  issues "$(of_mqsim 1 $search $pace)" "$(of_mqsim 0 $search $pace)" $search --until ${pace}s --speed $pace
done
stop_capture
expect_equal "$(note "$WORK/kernel.rgt" lost)" 0 "I/Os lost by the recorder"
# Bytes, because the block layer may make one request of neighbours. The reads of what lies on the
# target before it is written are buffered, and so read ahead.
recorded() { awk -F'\t' -v op="$1" '$1 == op && $10 !~ /,readahead,/ {n += $3} END {print n + 0}' "$WORK/kernel.rgt.rows"; }
expect_equal "$(recorded write)" $((3 * $(bytes_of_mqsim 0 $tpcc))) "bytes written that the kernel recorded"
expect_equal "$(recorded read)" \
  $((3 * $(bytes_of_mqsim 1 $tpcc) + $(bytes_of_mqsim 1 $search 1) + $(bytes_of_mqsim 1 $search 10))) "bytes read that the kernel recorded"

reads=$(of_mqsim 1 $search) writes=$(of_mqsim 0 $search)
expect_equal $((reads + writes)) 24783 "requests of the published web search trace"
issues "$reads" "$writes" $search --flat-out
issues 46974 66898 cloudPhysicsIO.vscsi --flat-out --depth 64
whole=$(awk '$1 == "R"' "$traces/disksim_cheetah9LP.trace" | wc -l)
issues "$whole" $((10000 - whole)) disksim_cheetah9LP.trace --flat-out --write
# An order of accesses without times.
issues "$(zcat "$traces/lirs_2_pools.trace.gz" | grep -c '^[0-9]')" 0 lirs_2_pools.trace.gz --flat-out
