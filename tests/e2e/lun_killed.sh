#!/usr/bin/env bash
# However the virtual LUN ends, in the middle of reads and with unwritten pages in the host, no
# mount, no loop device and no file is left, and whoever used it gets errors instead of waiting.
source "$(dirname "$0")/lun_lib.sh"

for option in "" --loop; do
  for signal in KILL SEGV TERM INT; do
    # shellcheck disable=SC2086
    start_lun "killed-$signal" $option --size 64M
    reads 64 60 >/dev/null 2>&1 &
    load=$!
    keep_pid $load
    [ -z "$option" ] || dd if=/dev/zero of="$DEVICE" bs=64k count=64 status=none
    is_read() { kill -USR1 $LUN; grep -q '"reads":[1-9][0-9][0-9]' "$WORK/lun.err"; }
    wait_for 20 is_read
    kill -"$signal" $LUN
    code=0
    wait $LUN 2>/dev/null || code=$?
    expect_equal $code $((128 + $(kill -l "$signal"))) "exit code"
    has_ended() { ! kill -0 "$1" 2>/dev/null; }
    wait_for 20 has_ended $load
    ! wait $load || fail "fio was told that all is well ($option $signal)"
    lun_is_gone
  done
done

# Its guardian killed first, then itself: the next LUN of that name takes the dead one's place.
start_lun twice --size 64M
kill -KILL "$(pgrep -P $LUN -x lun-guardian)"
kill -KILL $LUN
wait $LUN 2>/dev/null || true
start_lun twice --size 64M
reads 1 1 >/dev/null
kill -INT $LUN
wait $LUN || true
is_unmounted() { ! grep -qF " $FILE " /proc/self/mountinfo; }
wait_for 10 is_unmounted
[ ! -s "$FILE" ] || fail "the file that was there before is not as it was"
