#!/usr/bin/env bash
# Filters: what they leave out is not recorded, and the ledger of the rest is whole.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio

loop_device disk 64M
read_some() { dd if="$DEVICE" of=/dev/null iflag=direct bs=4k count=61 status=none; }
write_some() { dd if=/dev/zero of="$DEVICE" oflag=direct,dsync bs=4k count=23 status=none; }
fio_some() { fio --name=job --filename="$DEVICE" --direct=1 --rw=randread --bs=4k --number_ios=89 --size=64M --output=/dev/null; }
all() { read_some; write_some; fio_some; }
export -f read_some write_some fio_some all
export DEVICE

capture "$WORK/op.rgt" -d "$DEVICE" --op write -- bash -c all
expect_equal "$(count_rows "$WORK/op.rgt" '$1 == "write"')" 23 "writes"
expect_equal "$(count_rows "$WORK/op.rgt" '$1 != "write"')" 0 "others"
capture "$WORK/op.rgt" -d "$DEVICE" --op read,flush -- bash -c all
expect_equal "$(count_rows "$WORK/op.rgt" '$1 == "read" && $5 == "dd"')" 61 "reads"
expect_equal "$(count_rows "$WORK/op.rgt" '$1 == "write"')" 0 "writes"
expect_equal "$(count_rows "$WORK/op.rgt" '$1 == "flush"')" 23 "flushes"

capture "$WORK/comm.rgt" -d "$DEVICE" --comm fio -- bash -c all
expect_equal "$(count_rows "$WORK/comm.rgt" '$5 == "fio" && $3 == 4096 && $1 == "read"')" 89 "I/Os of fio"
expect_equal "$(count_rows "$WORK/comm.rgt" '$5 != "fio"')" 0 "I/Os of others"

# The process replaces the shell, whose number is known before it reads.
bash -c 'while [ ! -e "$0" ]; do sleep 0.02; done; exec dd if="$DEVICE" of=/dev/null iflag=direct bs=4k count=19 status=none' \
  "$WORK/go" &
process=$!
keep_pid $process
start_capture "$WORK/pid.rgt" -d "$DEVICE" --pid $process
read_some
touch "$WORK/go"
wait $process
stop_capture
expect_equal "$(count_rows "$WORK/pid.rgt" "\$8 == $process")" 19 "I/Os of the process"
expect_equal "$(count_rows "$WORK/pid.rgt" '1')" 19 "I/Os in all"

capture "$WORK/slow.rgt" -d "$DEVICE" --min-latency 100s -- bash -c all
expect_equal "$(count_rows "$WORK/slow.rgt" '1')" 0 "I/Os slower than 100 s"

capture "$WORK/sample.rgt" -d "$DEVICE" --sample 10 -- fio --name=job --filename="$DEVICE" --direct=1 --rw=randread \
  --bs=4k --ioengine=io_uring --iodepth=8 --number_ios=10007 --io_size=1G --size=64M --output=/dev/null
# Binomial(10007, 1/10): 1000.7, standard deviation 30; six of them either way.
sampled=$(count_rows "$WORK/sample.rgt" '$5 == "fio"')
[ "$sampled" -gt 820 ] && [ "$sampled" -lt 1181 ] || fail "one in ten of 10,007 is not $sampled"

for file in op comm pid slow sample; do
  expect_equal "$(note "$WORK/$file.rgt" lost)" 0 "lost"
  expect_whole_ledger "$WORK/$file.rgt"
done
expect_equal "$(note "$WORK/comm.rgt" filter)" "--comm fio" "the filter as noted"
expect_exit 2 "$RIGEL" capture -o "$WORK/x.rgt" --op reed
expect_stderr "'reed' is none of"
expect_exit 2 "$RIGEL" capture -o "$WORK/x.rgt" --comm a-name-of-sixteen
expect_exit 2 "$RIGEL" capture -o "$WORK/x.rgt" --cgroup /tmp
