#!/usr/bin/env bash
# Devices of a trace go where they are mapped; copies multiply footprint and concurrency.
source "$(dirname "$0")/replay_lib.sh"

loop_device one 64M
one=$DEVICE
loop_device two 64M
two=$DEVICE
printf 'fio version 3 iolog\n' >"$WORK/two.log"
for device in sda sdb; do printf '0 /dev/%s add\n0 /dev/%s open\n' $device $device >>"$WORK/two.log"; done
for i in $(seq 0 199); do
  printf '%d /dev/sda read %d 8192\n%d /dev/sdb read %d 4096\n' $((i * 500)) $((i * 8192)) $((i * 500 + 100)) $((i * 4096))
done >>"$WORK/two.log"
# shellcheck disable=SC2034
read -r sda sdb < <("$RIGEL" info --json "$WORK/two.log" | python3 -c '
import json, sys
print(*sorted(device["name"] for device in json.load(sys.stdin)["devices"]))')

before_one=$(asked_of "$one" $READS) before_two=$(asked_of "$two" $READS)
replay "0 3" --map "$sda=$one,$sdb=$two@32M" "$WORK/two.log"
expect_equal $(($(asked_of "$one" $READS) - before_one)) 200 "reads of the first device"
expect_equal $(($(asked_of "$two" $READS) - before_two)) 200 "reads of the second device"

start_capture "$WORK/many.rgt" -d "$one"
replay "0 3" --map "$sda=$one,$sdb=$one@32M" "$WORK/two.log"
stop_capture
expect_equal "$(count_rows "$WORK/many.rgt" '$1 == "read" && $2 >= 33554432 && $3 == 4096')" 200 "reads behind the offset"

# One device mapped, the other not: not issued, said, and unfaithful.
replay 3 --map "$sda=$one" "$WORK/two.log"
expect_equal "$(value '["not_issued"]["device not mapped to a target"]')" 200 "I/Os without a target"

# Eight copies: eight times the I/O, eight times the footprint.
start_capture "$WORK/scaled.rgt" -d "$one"
replay "0 3" --device "$sda" --scale 8 --record "$WORK/own.rgt" --target "$one" "$WORK/two.log"
stop_capture
"$RIGEL" info --json "$WORK/scaled.rgt" >"$OUT"
expect_equal "$(value '["reads"]')" 1600 "reads of eight copies"
expect_equal "$(value '["footprint_bytes"]')" $((8 * 200 * 8192)) "footprint of eight copies"
# The same by the replay's own trace, which does without the recorder; and in one place there is no
# more of it, only more often.
"$RIGEL" info --json "$WORK/own.rgt" >"$OUT"
expect_equal "$(value '["reads"]')" 1600 "reads of eight copies, by the replay's own trace"
expect_equal "$(value '["footprint_bytes"]')" $((8 * 200 * 8192)) "footprint by the replay's own trace"
expect_equal "$(python3 -c "import json; print(len(json.load(open('$OUT'))['streams']))")" 8 "streams of eight copies"
replay "0 3" --device "$sda" --scale 8 --scale-mode same --record "$WORK/own.rgt" --target "$one" "$WORK/two.log"
"$RIGEL" info --json "$WORK/own.rgt" >"$OUT"
expect_equal "$(value '["reads"]')" 1600 "reads of eight copies in one place"
expect_equal "$(value '["footprint_bytes"]')" $((200 * 8192)) "footprint of eight copies in one place"
