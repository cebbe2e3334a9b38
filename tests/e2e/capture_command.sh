#!/usr/bin/env bash
# What a recording does with the command it records and with the file it writes, and what it refuses
# before it touches either.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio

loop_device disk 1M
TRACE=$WORK/kept.rgt
capture "$TRACE" -d "$DEVICE" -- dd if="$DEVICE" of=/dev/null iflag=direct bs=4k count=7 status=none
sum=$(sha256sum <"$TRACE")

# A command that cannot run, or an option that cannot be, costs no earlier recording.
refused() {
  local code=$1 reason=$2
  shift 2
  expect_exit "$code" "$RIGEL" capture -o "$TRACE" -d "$DEVICE" "$@"
  expect_stderr "$reason"
  expect_equal "$(sha256sum <"$TRACE")" "$sum" "the earlier recording, after $*"
}
touch "$WORK/not-executable"
refused 1 "no-such-program: no such program" -- no-such-program
refused 1 "/no/such/program: cannot run" -- /no/such/program
refused 1 "not-executable: cannot run" -- "$WORK/not-executable"
refused 1 "cannot run" -- "$WORK"
refused 2 "out of range" --buffer 1 -- true
refused 2 "out of range" --buffer 99T -- true

# The trace on standard output is the trace alone: what the command says goes with the messages.
expect_exit 0 "$RIGEL" capture -o - -d "$DEVICE" -- \
  sh -c "echo from the command; dd if=$DEVICE of=/dev/null iflag=direct bs=4k count=5 status=none"
expect_stderr "from the command"
cp "$OUT" "$WORK/piped.rgt"
expect_exit 0 "$RIGEL" check "$WORK/piped.rgt"
read_rows "$WORK/piped.rgt"
expect_equal "$(count_rows "$WORK/piped.rgt" '$5 == "dd" && $1 == "read"')" 5 "reads"

# A command that is still running when the time is over has done what it was asked to.
expect_exit 0 "$RIGEL" capture -o "$WORK/short.rgt" -d "$DEVICE" --duration 300ms -- sleep 60
expect_exit 1 "$RIGEL" capture -o "$WORK/failed.rgt" -d "$DEVICE" -- false
expect_stderr "false ended with 1"

# timeout(1) tells the process, then its group: one request to stop, after which the recording is whole.
fio --name=job --filename="$DEVICE" --direct=1 --rw=randread --bs=4k --ioengine=psync --time_based --runtime=60 \
  --size=100% --output=/dev/null &
keep_pid $!
for signal in INT TERM INT TERM; do
  code=0
  timeout -s $signal 1 "$RIGEL" capture -o "$WORK/timeout.rgt" -d "$DEVICE" 2>"$ERR" || code=$?
  expect_equal "$code" 124 "exit of timeout"
  expect_stderr "I/Os started"
  expect_exit 0 "$RIGEL" check "$WORK/timeout.rgt"
done

# A recording whose reader went away is not whole.
code=0
"$RIGEL" capture -o - -d "$DEVICE" --duration 20s 2>"$ERR" | head -c 1000 >/dev/null || code=${PIPESTATUS[0]}
expect_equal "$code" 1 "exit of a recording that nobody reads to its end"
expect_stderr "the rest of the recording is lost"
