#!/usr/bin/env bash
# --timing dependent on a real device: streams keep order, concurrency and think time of the record,
# and a target that is slower only makes it longer; the trace of the replay itself shows it.
source "$(dirname "$0")/replay_lib.sh"

# Two processes: one reads one block at a time with 1 ms of thinking, the other four at once.
python3 - >"$WORK/two.jsonl" <<'PYTHON'
import json
print('{"rigel":"jsonl","version":1}')
print(json.dumps({"devices": {"first": 0, "entries": [{"name": "sda"}]}}))
print(json.dumps({"streams": {"first": 0, "entries": [{"comm": "single", "pid": 1}, {"comm": "four", "pid": 2}]}}))
records = []
for i in range(200):
    records.append((i * 1_100_000, i * 1_100_000 + 100_000, 0, i * 8192))
for i in range(100):
    for k in range(4):
        at = i * 2_000_000 + k * 1000
        records.append((at, i * 2_000_000 + 1_000_000, 1, (1000 + 4 * i + k) * 8192))
for issue, complete, stream, offset in sorted(records):
    print(json.dumps({"issue_ns": issue, "complete_ns": complete, "device": 0, "offset_bytes": offset,
                      "length_bytes": 8192, "op": "read", "stream": stream, "status": 0}))
PYTHON
loop_device disk 32M

replay "0 3" --timing dependent --record "$WORK/own.rgt" --target "$DEVICE" "$WORK/two.jsonl"
expect_equal "$(value '["issued"]')" 600 "I/Os issued"
expect_equal "$(value '["fidelity"]["interarrival_ks"]')" None "a judgement by times that are not to be kept"
"$RIGEL" cat --to jsonl "$WORK/own.rgt" | python3 -c '
import json, sys
names, single, four = [], [], []
for line in map(json.loads, sys.stdin):
    if "streams" in line: names += [s["comm"] for s in line["streams"]["entries"]]
    if "op" not in line: continue
    (single if names[line["stream"]] == "single" else four).append(line)
assert len(single) == 200 and len(four) == 400, (len(single), len(four))
assert [r["offset_bytes"] for r in single] == [i * 8192 for i in range(200)], "order of the stream"
for a, b in zip(single, single[1:]):
    assert b["issue_ns"] - a["complete_ns"] >= 990_000, ("thought too short", a, b)
for i in range(4, 400, 4):
    ready = max(r["complete_ns"] for r in four[i - 4:i])
    assert four[i]["issue_ns"] >= ready + 990_000, ("not waited for", i)
' || fail "the replay did not keep the streams pace"
