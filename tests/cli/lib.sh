# What the command-line tests share. Source it; $RIGEL is the program under test.
# shellcheck shell=bash
set -euo pipefail

# shellcheck source=packaging/leftovers.sh
source "$RIGEL_SOURCE/packaging/leftovers.sh"
# A scratch folder: loop devices on files in it, and mounts below it, go with it. See leftovers.sh.
WORK=$(make_scratch test)
trap 'release_scratch "$WORK"' EXIT
trap 'exit 130' INT  # bash would go on when the interrupted command handles the signal itself
trap 'exit 143' TERM
OUT=$WORK/stdout
ERR=$WORK/stderr

skip() { echo "skipped: $*"; exit 77; }

# need_root: starts the test anew as root where it is not and may be; skips it otherwise.
need_root() {
  [ "$(id -u)" -ne 0 ] || return 0
  sudo -n true 2>/dev/null || skip "needs root (or sudo without a password)"
  release_scratch "$WORK"
  exec sudo -n -- env "RIGEL=$RIGEL" "RIGEL_SOURCE=$RIGEL_SOURCE" "RIGEL_TEST_DATA=$RIGEL_TEST_DATA" \
    "TMPDIR=${TMPDIR:-/tmp}" bash "$(readlink -f "$0")"
}

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
expect_equal() { [ "$1" = "$2" ] || fail "${3:-value} is $1, not $2"; }
