# What the recorder's tests share. Source it instead of lib.sh.
#
#   capture FILE [OPTIONS…] [-- COMMAND…]  records into FILE; the rows of trace_rows in FILE.rows
#   start_capture FILE [OPTIONS…]          the same in the background; $CAPTURE is its process
#   stop_capture                           ends it
#   note FILE KEY                          what the recording notes about itself
#   count_rows FILE CONDITION              rows for which an awk condition holds, e.g.
#                                          '$1 == "read" && $10 ~ /,merged,/'
# shellcheck shell=bash disable=SC2034
# shellcheck source=tests/e2e/lib.sh
source "$RIGEL_SOURCE/tests/e2e/lib.sh"
need_root

CAPTURE=
RECORDED=

read_rows() { "$RIGEL_TRACE_ROWS" "$1" >"$1.rows" 2>"$1.notes" || fail "cannot read $1: $(cat "$1.notes")"; }

capture() {
  local file=$1
  shift
  expect_exit 0 "$RIGEL" capture -o "$file" "$@"
  read_rows "$file"
}

start_capture() {
  RECORDED=$1
  shift
  rm -f "$WORK/capture.err"  # the last one says "recording" too
  "$RIGEL" capture -o "$RECORDED" "$@" >"$WORK/capture.out" 2>"$WORK/capture.err" &
  CAPTURE=$!
  keep_pid "$CAPTURE"
  wait_for 20 grep -qs "^recording" "$WORK/capture.err"
}

# stop_capture [EXIT CODE]
stop_capture() {
  local code=0
  kill -INT "$CAPTURE"
  wait "$CAPTURE" || code=$?
  [ "$code" = "${1:-130}" ] || { cat "$WORK/capture.err" >&2; fail "the recorder ended with $code"; }
  read_rows "$RECORDED"
}

note() { sed -n "s/^$2=//p" "$1.notes"; }
count_rows() { awk -F'\t' "$2 {++n} END {print n + 0}" "$1.rows"; }

# stat_of DEVICE FIELD: /sys/block/*/stat, fields as in Documentation/block/stat.rst from 1 on.
stat_of() { awk -v field="$2" '{print $field}' "/sys/class/block/$(basename "$1")/stat"; }
READS=1 WRITES=5 DISCARDS=12 FLUSHES=16

expect_whole_ledger() {
  local file=$1
  expect_equal "$(note "$file" started)" \
    $(($(note "$file" recorded) + $(note "$file" in_flight_at_stop) + $(note "$file" lost))) "I/Os started"
}
