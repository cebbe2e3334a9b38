#!/usr/bin/env bash
# When the recorder does not keep up, what is lost is counted to the I/O: started = recorded + in
# flight + lost, with a recorder that is stopped and with a small buffer. fio says how many there were.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio jq

zram_device 64M
fio_reads() {
  fio --name=job --filename="$DEVICE" --direct=1 --rw=randread --bs=4k --ioengine=psync --size=64M \
    --io_size=100G --norandommap --output-format=json --output="$WORK/fio.json" "$@"
  jq '.jobs[0].read.total_ios' "$WORK/fio.json"
}

start_capture "$WORK/stopped.rgt" -d "$DEVICE" --buffer 256K
first=$(fio_reads --number_ios=1009)
kill -STOP "$CAPTURE"
second=$(fio_reads --time_based --runtime=2)
kill -CONT "$CAPTURE"
third=$(fio_reads --number_ios=1013)
stop_capture 1
expect_equal "$(note "$WORK/stopped.rgt" started)" $((first + second + third)) "I/Os started"
expect_whole_ledger "$WORK/stopped.rgt"
lost=$(note "$WORK/stopped.rgt" lost)
[ "$lost" -gt 0 ] || fail "nothing was lost: the test shows nothing"
expect_equal "$(wc -l <"$WORK/stopped.rgt.rows")" "$(note "$WORK/stopped.rgt" recorded)" "records"
grep -q "lost .*: ring full" "$WORK/capture.err" || fail "the cause is not told: $(cat "$WORK/capture.err")"

# Allowed, it is no failure.
start_capture "$WORK/allowed.rgt" -d "$DEVICE" --buffer 16K --allow-loss
kill -STOP "$CAPTURE"
fio_reads --number_ios=5003 >/dev/null
kill -CONT "$CAPTURE"
stop_capture
[ "$(note "$WORK/allowed.rgt" lost)" -gt 0 ] || fail "nothing was lost with 8 KiB"
expect_whole_ledger "$WORK/allowed.rgt"

# With the buffer as it comes, nothing is.
start_capture "$WORK/default.rgt" -d "$DEVICE"
all=$(fio_reads --time_based --runtime=1)
stop_capture
expect_equal "$(note "$WORK/default.rgt" recorded)" "$all" "I/Os recorded"
expect_equal "$(note "$WORK/default.rgt" lost)" 0 "I/Os lost"
