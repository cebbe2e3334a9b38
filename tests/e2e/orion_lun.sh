#!/usr/bin/env bash
# rigel orion on an array, which `rigel lun` is: the founding case at 1/1024 of its size, 96 GB of
# cache before 512 GB on 32 disks. Little's law at each point; the hit ratio that orion expects from
# what it read beside the one that the array counted; the array's own curve.
source "$(dirname "$0")/lun_lib.sh"
cd "$WORK" || exit 1

export ARRAY=disks32-96g
start_lun array --scale 1024 --size 512G --loop --data pattern
echo "$DEVICE" >array.lun

expect_exit 0 "$RIGEL" orion -testname array -run oltp -num_disks 1 -duration 1 --cache 96M --json
cp "$OUT" orion.json
kill -INT $LUN
wait $LUN || true
lun_is_gone

expect_equal "$(jq '.points | length' orion.json)" 20 "points of oltp"
# At each point, within 1 %: throughput x latency = I/Os kept outstanding.
jq -e '[.points[] | .iops * .latency_ns / 1e9 / .outstanding] | min >= 0.99 and max <= 1.01' orion.json >/dev/null ||
  fail "Little's law: $(jq -c '[.points[] | [.outstanding, .iops * .latency_ns / 1e9 / .outstanding]]' orion.json)"
# Reads that the array counted as hits: of all points together, those that orion expected.
python3 - orion.json lun.json <<'PYTHON'
import json, math, sys
orion, lun = (json.load(open(name)) for name in sys.argv[1:])
ios = [(p["iops"], p["hit_ratio"]) for p in orion["points"]]  # of a second each
expected = sum(n * ratio for n, ratio in ios) / sum(n for n, _ in ios)
counted = lun["read_hits"] / lun["reads"]
noise = 4 * math.sqrt(counted * (1 - counted) / lun["reads"])
print(f"{lun['reads']} reads: orion expects {expected:.4f} hits, the array counted {counted:.4f}, noise {noise:.4f}")
assert abs(expected - counted) < 0.01 + noise
# 32 disks of 8 ms behind hits of 0.3 ms: 20 I/Os of which h are hits take about N / (h 0.3 + (1 - h) 8) ms
# at most, since they also queue for disks (machine repairman without waiting is the bound).
last = orion["points"][-1]
bound = last["outstanding"] / (last["hit_ratio"] * 0.3e-3 + (1 - last["hit_ratio"]) * 8.3e-3)
assert last["iops"] < 1.1 * bound, (last["iops"], bound)
# Queueing for 32 disks alike, of exponential times: N / (N + 32 - 1) of what they can do together (a
# balanced product-form network), give or take the noise of one second. An array that says it answered
# late for want of CPU is slower.
network = last["outstanding"] / (last["outstanding"] + 31) * 32 / 8.3e-3 / (1 - last["hit_ratio"])
if lun["lateness_ns"]["p99"] < 1e6:
    assert last["iops"] > 0.85 * network, (last["iops"], network)
PYTHON
