#!/usr/bin/env bash
# The cache model beside libCacheSim, on the same draws, one core: user CPU, peak memory, hit ratio.
#   model_versus_libcachesim.sh MODEL_BENCH LIBCACHESIM_BIN_DIR
# The second is where cachesim and distUtil were built (github.com/1a1a11a/libCacheSim).
set -euo pipefail
bench=$1 theirs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bench" write "$work/zipf.bin"

# measure NAME COMMAND...: Mreq/s of user CPU and peak MiB of one run.
measure() {
  local name=$1
  shift
  python3 - "$name" "$@" <<'PYTHON'
import resource, subprocess, sys
name, command = sys.argv[1], sys.argv[2:]
out = subprocess.run(command, capture_output=True, text=True)
use = resource.getrusage(resource.RUSAGE_CHILDREN)
last = (out.stdout.strip().splitlines() or [out.stderr.strip()])[-1]
print(f"  libCacheSim {name:<8} {use.ru_utime:7.3f} s {10 / use.ru_utime:8.2f} Mreq/s "
      f"{use.ru_maxrss / 1024:6.0f} MiB  {last[-60:]}")
PYTHON
}

cd "$work"
for pair in lru:lru arc:arc sieve:sieve s3fifo:s3fifo; do
  measure "${pair#*:}" "$theirs/cachesim" zipf.bin oracleGeneralBin "${pair#*:}" 100000 --ignore-obj-size 1
  "$bench" "${pair%:*}"
done
measure curve "$theirs/distUtil" zipf.bin oracleGeneralBin stack_dist cntTxt dist
"$bench" curve
for rate in 0.1 0.01; do
  measure "lru $rate" "$theirs/cachesim" zipf.bin oracleGeneralBin lru 100000 --ignore-obj-size 1 -s "$rate"
  "$bench" "shards:$rate"
done
"$bench" shards:0.01:25600
