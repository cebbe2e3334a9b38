#!/usr/bin/env bash
# I/O that was under way when the recording began, or when it ended: counted and marked. A loop
# device over a file on a frozen filesystem does not answer until that is thawed.
source "$(dirname "$0")/capture_lib.sh"
need_tools fsfreeze

loop_device below 64M
mount_fs "$DEVICE" ext4
file=$MOUNT/file
truncate -s 16M "$file"
DEVICE=$(losetup --find --show "$file")
name=$(basename "$DEVICE")
thaw() { fsfreeze --unfreeze "$MOUNT" 2>/dev/null || true; }
end() { local code=$?; thaw; (exit $code); clean_up; }
trap 'set +e; end' EXIT
writes_in_flight() { [ "$(awk '{print $2}' "/sys/block/$name/inflight")" = "$1" ]; }
write_in_background() { dd if=/dev/zero of="$DEVICE" oflag=direct bs=4k seek="$1" count=1 status=none & }

fsfreeze --freeze "$MOUNT"
for place in 1 2 3; do write_in_background $place; done
wait_for 5 writes_in_flight 3
start_capture "$WORK/start.rgt" -d "$DEVICE"
thaw
wait_for 5 writes_in_flight 0
dd if=/dev/zero of="$DEVICE" oflag=direct bs=4k seek=9 count=1 status=none
stop_capture
expect_equal "$(count_rows "$WORK/start.rgt" '$1 == "write" && $10 ~ /,at-start,/ && $3 == 4096 && $11 == "-"')" 3 "at the start"
expect_equal "$(count_rows "$WORK/start.rgt" '$1 == "write" && $10 !~ /at-/ && $2 == 36864')" 1 "after it"
expect_equal "$(note "$WORK/start.rgt" in_flight_at_start)" 3 "noted at the start"
expect_whole_ledger "$WORK/start.rgt"

start_capture "$WORK/stop.rgt" -d "$DEVICE"
fsfreeze --freeze "$MOUNT"
for place in 4 5; do write_in_background $place; done
wait_for 5 writes_in_flight 2
stop_capture
thaw
wait_for 5 writes_in_flight 0
expect_equal "$(count_rows "$WORK/stop.rgt" '$1 == "write" && $10 ~ /,at-stop,/ && $13 == "-" && $5 == "dd"')" 2 "at the stop"
expect_equal "$(note "$WORK/stop.rgt" in_flight_at_stop)" 2 "noted at the stop"
expect_equal "$(note "$WORK/stop.rgt" started)" 2 "I/Os started"
expect_whole_ledger "$WORK/stop.rgt"

# Under load no more than are in flight at any time have begun before, however long it takes to attach.
loop_device fast 16M
name=$(basename "$DEVICE")
fio --name=job --filename="$DEVICE" --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=8 --size=16M \
  --time_based --runtime=60 >/dev/null 2>&1 &
fio=$!
keep_pid $fio
reads_are_in_flight() { [ "$(awk '{print $1}' "/sys/block/$name/inflight")" -gt 0 ]; }
wait_for 10 reads_are_in_flight
start_capture "$WORK/load.rgt" -d "$DEVICE"
wait_for 10 test -s "$WORK/load.rgt"
stop_capture
kill $fio
wait $fio || true
at_start=$(note "$WORK/load.rgt" in_flight_at_start)
[ "$at_start" -le 8 ] || fail "$at_start are said to have been in flight at the start, of 8 at most"
expect_equal "$(count_rows "$WORK/load.rgt" '$13 != "-" && $13 < 0')" 0 "I/Os that ended before the recording began"
[ "$(note "$WORK/load.rgt" recorded)" -gt 100 ] || fail "hardly anything was recorded: the test shows nothing"
expect_whole_ledger "$WORK/load.rgt"
