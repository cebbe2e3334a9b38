# What the command-line tests share. Source it; $RIGEL is the program under test.
# shellcheck shell=bash
set -euo pipefail

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
OUT=$WORK/stdout
ERR=$WORK/stderr

fail() { echo "FAILED: $*" >&2; exit 1; }

# expect_exit CODE COMMAND...: leaves its output in $OUT and $ERR.
expect_exit() {
  local wanted=$1 code=0
  shift
  "$@" >"$OUT" 2>"$ERR" </dev/null || code=$?
  [ "$code" -eq "$wanted" ] || { cat "$OUT" "$ERR" >&2; fail "exit $code, not $wanted: $*"; }
}

expect_stdout() { grep -qF -- "$1" "$OUT" || { cat "$OUT" >&2; fail "no '$1' on standard output"; }; }
expect_stderr() { grep -qF -- "$1" "$ERR" || { cat "$ERR" >&2; fail "no '$1' on standard error"; }; }
