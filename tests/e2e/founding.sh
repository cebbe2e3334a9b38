#!/usr/bin/env bash
# The founding case at 1/1024 of its size, all the way: uniform reads of 512 GB on 96 GB of cache before
# 32 disks. The hit ratio that the model predicts, the one that the array counts while the trace is
# replayed on it, one and the same within 0.01; and the one that the measured latencies imply.
source "$(dirname "$0")/lun_lib.sh"
cd "$WORK" || exit 1

poisson_reads 96512 $((512 << 20)) 21000 >trace.csv
expect_exit 0 "$RIGEL" model trace.csv --cache 96M --page 8k --json
cp "$OUT" model.json

export ARRAY=disks32-96g
start_lun array --scale 1024 --size 512G --data pattern
code=0
# 3: not faithful on a busy host, which the hits do not mind.
"$RIGEL" replay trace.csv --target "$FILE" --record run.rgt --json >replay.json || code=$?
[ $code = 0 ] || [ $code = 3 ] || fail "replay ended with $code"
kill -INT $LUN
wait $LUN || true
lun_is_gone
expect_equal "$(jq .issued replay.json)" 21000 "reads issued"

code=0
"$RIGEL" compare run.rgt --predicted model.json --json >compare.json || code=$?
[ $code = 0 ] || [ $code = 3 ] || fail "compare ended with $code"
expect_exit 0 "$RIGEL" report model.json replay.json run.rgt compare.json -o founding.html
python3 - model.json lun.json compare.json replay.json <<'PYTHON'
import json, sys
model, lun, compare, replay = (json.load(open(name)) for name in sys.argv[1:])
predicted = model["results"][0]["hit_ratio"]
counted = lun["read_hits"] / lun["reads"]
assert predicted > 0.05, "hardly a hit: the test shows nothing"
assert abs(predicted - counted) < 0.01
told = compare["prediction"]
print(f"predicted {predicted:.4f}, counted by the array {counted:.4f}, implied by the latencies "
      f"{[told.get(key) for key in ('hit_ratio_implied', 'low', 'high', 'cannot_tell')]}")
# Where the replay itself says that it got no CPU, neither did the array: its latencies are the host's.
if not replay["fidelity"]["delayed"]["host"] > 0.05 * replay["issued"]:
    # A fit has noise of its own, and a busy host adds some: its 95 % interval, half as wide again.
    slack = (told["high"] - told["low"]) / 4
    assert told["low"] - slack <= counted <= told["high"] + slack
PYTHON
