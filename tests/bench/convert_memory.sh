#!/usr/bin/env bash
# rigel convert needs less than 64 MiB whatever the size of its input, with any of its filters.
# convert_memory.sh RIGEL PEAK_MEMORY DATA [COPIES]: the trace is COPIES x COPIES times the 113,872
# I/Os of DATA/traces/cloudPhysicsIO.vscsi (default 42: 200,870,208 I/Os). Takes some minutes and
# 1 GB in $TMPDIR.
set -euo pipefail

rigel=$1 peak_memory=$2 data=$3 copies=${4:-42}
limit_kib=$((64 * 1024))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Traces one after the other are a trace; converting makes it one of a piece.
repeated() { for ((i = 0; i < copies; ++i)); do cat "$1"; done | "$rigel" convert - "$2" 2>/dev/null; }
"$rigel" convert "$data/traces/cloudPhysicsIO.vscsi" "$work/once.rgt"
repeated "$work/once.rgt" "$work/some.rgt"
repeated "$work/some.rgt" "$work/big.rgt"
records=$("$rigel" info --json "$work/big.rgt" 2>/dev/null | sed -n 's/^  "records": \([0-9]*\),$/\1/p')
echo "$records I/Os, $(stat -c %s "$work/big.rgt") bytes"

failed=0
measure() {
  rm -f "$work/peak"
  "$peak_memory" "$work/peak" "$rigel" convert "$@" 2>/dev/null
  local peak
  peak=$(cat "$work/peak")
  printf '%6d KiB  convert %s\n' "$peak" "${*//$work\//}"
  [ "$peak" -lt "$limit_kib" ] || failed=1
}
measure "$work/big.rgt" "$work/out.rgt"
measure --op read --from 1000s --until 6000s --length 4k-64k --every 3 "$work/big.rgt" "$work/out.rgt"
measure --sample 0.1 "$work/big.rgt" "$work/out.rgt"
measure --anonymize "$work/big.rgt" "$work/out.rgt"
measure "$work/some.rgt" "$work/some.rgt" "$work/some.rgt" "$work/out.rgt"
measure --to csv "$work/big.rgt" /dev/null
exit "$failed"
