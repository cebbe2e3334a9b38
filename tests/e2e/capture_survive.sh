#!/usr/bin/env bash
# What was recorded stays readable when the recorder is killed, when the disk is full, and when the
# reader of its output goes away; and nothing is left in the kernel.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio jq

zram_device 64M
load() {  # SECONDS; in the background: that process is fio's own
  exec fio --name=job --filename="$DEVICE" --direct=1 --rw=randread --bs=4k --ioengine=psync --size=64M --time_based \
    --runtime="$1" --output=/dev/null
}

start_capture "$WORK/killed.rgt" -d "$DEVICE"
load 30 &
loader=$!
keep_pid $loader
has_grown() { [ "$(stat -c %s "$WORK/killed.rgt")" -gt 20000 ]; }
wait_for 20 has_grown
kill -KILL "$CAPTURE"
wait "$CAPTURE" 2>/dev/null || true
kill $loader
read_rows "$WORK/killed.rgt"
[ "$(count_rows "$WORK/killed.rgt" '$5 == "fio" && $1 == "read"')" -ge 1000 ] || fail "too little survived"
"$RIGEL" check --json "$WORK/killed.rgt" >"$WORK/check.json" || [ $? = 1 ] || fail "rigel check cannot read it"
expect_equal "$(jq .records "$WORK/check.json")" "$(wc -l <"$WORK/killed.rgt.rows")" "records by rigel check"
expect_equal "$(count_rows "$WORK/killed.rgt" '$11 > $13')" 0 "records that make no sense"

# A disk that fills up once there is something on it.
mkdir "$WORK/small"
mount -t tmpfs -o size=8M rigel-small "$WORK/small"
start_capture "$WORK/small/full.rgt" -d "$DEVICE"
load 30 &
loader=$!
keep_pid $loader
has_records() { [ "$(stat -c %s "$WORK/small/full.rgt")" -gt 20000 ]; }
wait_for 20 has_records
dd if=/dev/zero of="$WORK/small/filler" bs=64k status=none 2>/dev/null || true
code=0
wait "$CAPTURE" || code=$?
kill $loader
expect_equal $code 1 "exit code"
grep -q "full.rgt: .*No space left on device" "$WORK/capture.err" || fail "unclear: $(cat "$WORK/capture.err")"
cp "$WORK/small/full.rgt" "$WORK/full.rgt"
read_rows "$WORK/full.rgt"
[ "$(count_rows "$WORK/full.rgt" '$5 == "fio"')" -ge 1 ] || fail "nothing survived the full disk"
wait $loader || true

expect_exit 1 "$RIGEL" capture -o "$WORK/none/t.rgt" -d "$DEVICE" --duration 1s
expect_stderr "$WORK/none/t.rgt"
expect_exit 1 "$RIGEL" capture -o "$WORK/t.rgt" -d "$DEVICE" -- "$WORK/no-such-program"
expect_stderr "no-such-program: cannot run: No such file or directory"
expect_exit 1 "$RIGEL" capture -o "$WORK/t.rgt" -d "$DEVICE" -- false
expect_stderr "false ended with 1"
