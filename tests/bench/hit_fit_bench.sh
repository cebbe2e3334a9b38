#!/usr/bin/env bash
# How often the hit ratio that latencies imply (rigel compare --predicted) is the one that the virtual
# LUN itself counted: 96 MiB of cache before 512 MiB and before 3 GiB, seeded runs of uniform reads.
# Right when the LUN's count is within the fit's 95 % interval; 38 of 40 are wanted.
# KEEP: where recordings and the LUN's counts stay, to fit them again.
# Usage: RIGEL=… [RUNS=40] [FIRST_SEED=1] [SECONDS_EACH=6] [SIZES="512 3072"] [KEEP=FOLDER] hit_fit_bench.sh   (root)
set -euo pipefail
: "${RIGEL:?the program}"
RIGEL_SOURCE=${RIGEL_SOURCE:-$(dirname "$(readlink -f "$0")")/../..}
export RIGEL_SOURCE RIGEL_TEST_DATA=${RIGEL_TEST_DATA:-}
# shellcheck source=tests/e2e/lun_lib.sh
source "$RIGEL_SOURCE/tests/e2e/lun_lib.sh"
[ -z "${KEEP:-}" ] || KEEP=$(readlink -f "$KEEP")
cd "$WORK"
seconds=${SECONDS_EACH:-6}
runs=${RUNS:-40}
first=${FIRST_SEED:-1}

export ARRAY=disks32-96g
renice -n -15 -p $$ >/dev/null  # whatever else runs delays hits, which are then no longer fast
for size in ${SIZES:-512 3072}; do
  right=0
  for ((seed = first; seed < first + runs; ++seed)); do
    poisson_reads $seed $((size << 20)) $((1500 * seconds)) >trace.csv
    "$RIGEL" model trace.csv --cache 96M --page 8k --json >model.json
    start_lun array --scale 1024 --size ${size}G --warm --seed $seed --data pattern
    # 3: not faithful, on a busy host.
    "$RIGEL" replay trace.csv --target "$FILE" --record run.rgt --json >replay.json || [ $? = 3 ]
    kill -INT "$LUN"
    wait "$LUN" || true
    lun_is_gone
    [ -z "${KEEP:-}" ] || { cp run.rgt "$KEEP/$size-$seed.rgt"; cp lun.json "$KEEP/$size-$seed.json"; }
    "$RIGEL" compare run.rgt --predicted model.json --json >compare.json || [ $? = 3 ]
    jq -r --arg of "$size MiB, seed $seed" --slurpfile lun lun.json \
      '($lun[0] | .read_hits / .reads) as $counted | .prediction |
       "\($of): counted \($counted), implied \(.hit_ratio_implied) (\(.low) to \(.high))" +
       if .low <= $counted and $counted <= .high then "" else ": OUTSIDE" end' compare.json | tee line
    grep -q OUTSIDE line || right=$((right + 1))
  done
  echo "before $size MiB: $right of $runs within the interval"
done
