#!/usr/bin/env bash
# How near the virtual LUN is to the array it stands for: a hit at depth 1, 10,000 hits a second, and a
# ladder of 1 to 160 outstanding against the simulator's own curve. fio is the load.
# Usage: RIGEL=… [SECONDS_EACH=5] lun_bench.sh   (root, an idle machine)
set -euo pipefail
: "${RIGEL:?the program}"
RIGEL_SOURCE=${RIGEL_SOURCE:-$(dirname "$(readlink -f "$0")")/../..}
export RIGEL_SOURCE RIGEL_TEST_DATA=${RIGEL_TEST_DATA:-}
# shellcheck source=tests/e2e/lun_lib.sh
source "$RIGEL_SOURCE/tests/e2e/lun_lib.sh"
seconds=${SECONDS_EACH:-5}

idle() {
  local before after
  read -ra before </proc/stat
  sleep 1
  read -ra after </proc/stat
  echo $((100 * (after[4] - before[4]) / $(nproc) / 100))
}
echo "the machine is $(idle) % idle before"

# In microseconds: median, and the errors of 98 of 100 answers.
summary() {
  jq -r '.jobs[0].read | "\(.iops | round) IOPS, p1 \(.clat_ns.percentile["1.000000"] / 1000) us, " +
    "p50 \(.clat_ns.percentile["50.000000"] / 1000) us, p99 \(.clat_ns.percentile["99.000000"] / 1000) us"' "$1"
}
lateness() {
  jq -r '"answers late p50 \(.lateness_ns.p50 / 1000) us, p99 \(.lateness_ns.p99 / 1000) us; " +
    "taken off \(.overhead_in_ns / 1000) + \(.overhead_out_ns / 1000) us"' "$WORK/lun.json"
}
# Reads that may fall on any block, also one read before: fio's own way leaves a block out once it has
# been read, and so never hits what its own reads have left in the cache.
independent=(--norandommap --random_generator=tausworthe64)
for option in --loop ""; do
  # Depth 4 x 0.3 ms and what fio takes between two reads is 10,000 a second.
  for depth in 1 4; do
    # shellcheck disable=SC2086
    start_lun "hits$option" $option --size 32M --warm
    reads $depth "$seconds" "${independent[@]}" >"$WORK/fio.json"
    kill -INT "$LUN"
    wait "$LUN" || true
    echo "hits of 300 us at depth $depth ${option:-(file)}: $(summary "$WORK/fio.json"); $(lateness)"
  done
done

# The founding array, a thousandth of its size, warm.
"$RIGEL" array show disks32-96g >"$WORK/array.ini"
sed -i 's/^name = .*/name = small/; s/^size = 96G/size = 96M/; s/^size = 300G/size = 300M/' "$WORK/array.ini"
ladder=1,2,4,8,16,32,64,96,128,160
"$RIGEL" simulate uniform --array "$WORK/array.ini" --span 3G -n $ladder --json >"$WORK/simulated.json"
for option in "" --loop; do
  # shellcheck disable=SC2086
  start_lun "ladder$option" $option --size 3G --warm
  for depth in ${ladder//,/ }; do
    # At least 1,600 reads of 8 ms: their mean is known to 2.5 %.
    reads "$depth" $((13 / depth > seconds ? 13 / depth : seconds)) "${independent[@]}" --ramp_time=1 >"$WORK/fio.json"
    jq -r --argjson n "$depth" --slurpfile s "$WORK/simulated.json" \
      '.jobs[0].read as $r | ($s[0].points[] | select(.outstanding == $n)) as $p |
       "ladder \($n): \($r.iops | round) IOPS, simulated \($p.iops | round), \(($r.iops / $p.iops - 1) * 1000 | round / 10) %"' \
      "$WORK/fio.json"
  done
  kill -INT "$LUN"
  wait "$LUN" || true
  echo "${option:-(file)}: $(lateness)"
done
echo "the machine is $(idle) % idle after"
