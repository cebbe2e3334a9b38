#!/usr/bin/env bash
# On a request-based device: every I/O of a process, once, with every field right. fio's own log of
# what it issued says what is right.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio jq

loop_device disk 64M
capture "$WORK/t.rgt" -d "$DEVICE" -- fio --name=job --filename="$DEVICE" --direct=1 --rw=randrw \
  --bsrange=4k-64k --ioengine=libaio --iodepth=16 --number_ios=10007 --size=64M --randrepeat=0 \
  --norandommap --io_size=8G --write_iolog="$WORK/iolog" --output="$WORK/fio.out"

mine='$5 == "fio"'
expect_equal "$(count_rows "$WORK/t.rgt" "$mine")" 10007 "I/Os of fio"
awk -F'\t' "$mine {print \$1, \$2, \$3}" "$WORK/t.rgt.rows" | sort >"$WORK/recorded"
awk '$2 == "read" || $2 == "write" {print $2, $3, $4}
     $3 == "read" || $3 == "write" {print $3, $4, $5}' "$WORK/iolog" | sort >"$WORK/issued"
expect_equal "$(wc -l <"$WORK/issued")" 10007 "I/Os in fio's own log"
cmp "$WORK/recorded" "$WORK/issued" || fail "operations, offsets or lengths differ from fio's log"

expect_equal "$(note "$WORK/t.rgt" lost)" 0 "I/Os lost"
expect_whole_ledger "$WORK/t.rgt"
"$RIGEL" info --json "$WORK/t.rgt" >"$WORK/info.json"
expect_equal "$(jq '[.streams[] | select(.comm == "fio") | .records] | add' "$WORK/info.json")" 10007 "I/Os of fio by rigel info"
expect_equal "$(jq .lost "$WORK/info.json")" 0 "I/Os lost by rigel info"
name=$(basename "$DEVICE")
expect_equal "$(count_rows "$WORK/t.rgt" "$mine && \$4 == \"$name\" && \$15 == 0 && \$10 !~ /bio|at-/")" \
  10007 "device, status and flags right"
expect_equal "$(count_rows "$WORK/t.rgt" "$mine && \$11 >= 0 && \$11 <= \$12 && \$12 <= \$13")" \
  10007 "times in order: queued, issued, completed"
expect_equal "$(count_rows "$WORK/t.rgt" "$mine && \$14 < $(nproc --all)")" 10007 "CPU known"
expect_equal "$(awk -F'\t' "$mine {print \$8}" "$WORK/t.rgt.rows" | sort -u | wc -l)" 1 "processes"
awk -F'\t' '$11 < last {exit 1} {last = $11}' "$WORK/t.rgt.rows" || fail "records out of order"

# Statistics switched off: the kernel's own stamps in the request are then unset, ours are not.
set_queue iostats 0
capture "$WORK/u.rgt" -d "$DEVICE" -- fio --name=job --filename="$DEVICE" --direct=1 --rw=randread \
  --bs=4k --ioengine=sync --number_ios=101 --size=64M --output="$WORK/fio.out"
expect_equal "$(count_rows "$WORK/u.rgt" '$5 == "fio" && $12 > 0 && $12 <= $13 && $13 - $11 < 10e9')" \
  101 "I/Os without iostats"

# Another scheduler, and another engine.
set_queue scheduler mq-deadline
capture "$WORK/v.rgt" -d "$DEVICE" -- fio --name=job --filename="$DEVICE" --direct=1 --rw=randread \
  --bs=4k --ioengine=io_uring --iodepth=8 --number_ios=1009 --size=64M --output="$WORK/fio.out"
expect_equal "$(count_rows "$WORK/v.rgt" '$5 == "fio" && $1 == "read" && $3 == 4096')" 1009 "I/Os by io_uring"
