#!/usr/bin/env bash
# The issue times that a replay states and records are those that the kernel's tracepoints see: for
# every I/O the two differ by no more than the longest submission that it owns up to, but for those
# that it says were left to kernel workers.
source "$(dirname "$0")/replay_lib.sh"

loop_device disk 64M
poisson 8000 4000 $((64 << 20))
start_capture "$WORK/kernel.rgt" -d "$DEVICE"
replay "0 3" --record "$WORK/own.rgt" --target "$DEVICE" "$WORK/poisson.log"
stop_capture
expect_equal "$(note "$WORK/kernel.rgt" lost)" 0 "I/Os lost by the recorder"
submission=$(value '["fidelity"]["submit_max_ns"]')
"$RIGEL" cat --to jsonl "$WORK/own.rgt" >"$WORK/own.jsonl"
"$RIGEL" cat --to jsonl "$WORK/kernel.rgt" >"$WORK/kernel.jsonl"
python3 - "$WORK" "$submission" "$(value '["fidelity"]["slip_ns"]["max"]')" "$(value '["punted"]["bytes"]')" <<'PYTHON' || fail "the kernel saw other issue times"
import json, sys
work, submission, slip_max, punted = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]) // 8192
def times(name, key):
    seen = {}
    for line in map(json.loads, open(f"{work}/{name}.jsonl")):
        if line.get("op") == "read": seen.setdefault(line["offset_bytes"], []).append(line[key])
    return seen
own, kernel = times("own", "issue_ns"), times("kernel", "queue_ns")
differences = []
for offset, stated in own.items():
    assert len(kernel[offset]) == len(stated), offset
    differences += [k - o for k, o in zip(sorted(kernel[offset]), sorted(stated))]
assert len(differences) == 8000, len(differences)
spread = max(differences) - min(differences)
beyond = sum(d - min(differences) > submission + 1000 for d in differences)
print(f"{len(differences)} I/Os; the kernel's times and the replay's differ by up to {spread} ns, "
      f"the longest submission is {submission} ns; {beyond} by more than it, {punted} were punted")
assert beyond <= punted
if punted: sys.exit()
# And by the kernel's times the I/Os were as late as the replay says, to within a submission.
due = {}
for line in open(f"{work}/poisson.log"):
    fields = line.split()
    if len(fields) == 5: due.setdefault(int(fields[3]), []).append(int(fields[0]) * 1000)
late = [k - d for offset in due for k, d in zip(sorted(kernel[offset]), sorted(due[offset]))]
latest = max(late) - min(late)
print(f"latest by the kernel {latest} ns, by the replay {slip_max} ns")
assert abs(latest - slip_max) <= submission + 1000
PYTHON
