#!/usr/bin/env bash
# run-demo, with a short recording: prints its table, leaves nothing behind, also when interrupted.
source "$RIGEL_SOURCE/tests/e2e/lib.sh"
need_root

nothing_left() {
  local left
  left=$(losetup -lnO BACK-FILE | grep -F "$WORK/" || true)
  left+=$(findmnt -rno TARGET | grep -F "$WORK/" || true)
  left+=$(ls -d "$WORK"/rigel-demo.* /sys/fs/cgroup/rigel-demo.*"$1"* 2>/dev/null || true)
  [ -z "$left" ] || fail "left behind $1: $left"
}

export RIGEL RIGEL_DEMO_SECONDS=3 TMPDIR=$WORK
expect_exit 0 "$RIGEL_SOURCE/run-demo" --keep "$WORK/kept.rgt"
expect_stdout "Predicted beside measured"
grep -qE '^  hit ratio of a cache .* %' "$OUT" || { cat "$OUT" >&2; fail "no hit ratio measured"; }
expect_exit 0 "$RIGEL" info --json "$WORK/kept.rgt"
[ "$(jq .reads "$OUT")" -gt 1000 ] || fail "only $(jq .reads "$OUT") reads were recorded"
nothing_left "at the end"

env --default-signal=INT setsid "$RIGEL_SOURCE/run-demo" >"$OUT" 2>"$ERR" </dev/null &
demo=$!
keep_pid "$demo"
wait_for 60 grep -q 'rigel capture' "$OUT"
kill -INT -- "-$demo" || fail "run-demo ended before it was interrupted"
code=0
wait "$demo" || code=$?
[ "$code" -ne 0 ] || fail "an interrupted demo ended with 0"
nothing_left "after an interrupt"
