# What the replayer's tests share. Source it instead of lib.sh.
#
#   poisson COUNT RATE SIZE [WRITE_SHARE]  a fio iolog of 8k I/Os in $WORK/poisson.log, seeded
#   value KEY                              of the JSON in $OUT, e.g. value '["fidelity"]["verdict"]'
# shellcheck shell=bash
# shellcheck source=tests/e2e/capture_lib.sh
source "$RIGEL_SOURCE/tests/e2e/capture_lib.sh"
need_tools python3

poisson() {
  python3 - "$1" "$2" "$3" "${4:-0}" >"$WORK/poisson.log" <<'PYTHON'
import random, sys
count, rate, size, write_share = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
random.seed(7)
print("fio version 3 iolog\n0 /dev/recorded add\n0 /dev/recorded open")
at = 0.0
for _ in range(count):
    at += random.expovariate(rate)
    op = "write" if random.random() < write_share else "read"
    print(round(at * 1e6), "/dev/recorded", op, random.randrange(size // 8192) * 8192, 8192)
PYTHON
}

value() { python3 -c "import json, sys; print(json.load(open(sys.argv[1]))$1)" "$OUT"; }

# asked_of DEVICE FIELD: I/Os that it was asked for, those included that the block layer merged.
asked_of() { echo $(($(stat_of "$1" "$2") + $(stat_of "$1" $(($2 + 1))))); }

# replay EXIT-CODES ARGUMENTS…: one of the codes, "0 3" say; JSON in $OUT.
replay() {
  local wanted=$1 code=0
  shift
  "$RIGEL" replay --json "$@" >"$OUT" 2>"$ERR" </dev/null || code=$?
  [[ " $wanted " == *" $code "* ]] || { cat "$OUT" "$ERR" >&2; fail "exit $code, not one of $wanted: replay $*"; }
}
