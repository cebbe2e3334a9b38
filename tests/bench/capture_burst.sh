#!/usr/bin/env bash
# As many I/Os a second as this machine makes, for SECONDS: reads of pages that zram never had, by two
# jobs. What the recorder loses of them, with its own buffer and with one of 256 KiB while it is stopped
# for two seconds; every I/O that fio counts must be in the ledger.
#   capture_burst.sh [SECONDS]
source "$RIGEL_SOURCE/tests/e2e/capture_lib.sh"
need_tools fio jq
SECONDS_EACH=${1:-5}

zram_device 4G
load() { # fio's options
  fio --name=burst --filename="$DEVICE" --direct=1 --rw=randread --bs=4k --norandommap --random_generator=lfsr \
    --numjobs=2 --group_reporting --thread --gtod_reduce=1 --time_based --runtime="$SECONDS_EACH" \
    --output-format=json --output="$WORK/fio.json" "$@"
}
total() { jq '.jobs[0].read.total_ios' "$WORK/fio.json"; }
report() { # NAME FILE
  expect_equal "$(note "$2" started)" "$(total)" "I/Os started"
  expect_whole_ledger "$2"
  printf '%-28s %7.0f IOPS, %s I/Os, %s lost, %s bytes; %s\n' "$1" "$(jq '.jobs[0].read.iops' "$WORK/fio.json")" \
    "$(total)" "$(note "$2" lost)" "$(stat -c %s "$2")" "$(sed -n 's/^recorder: /recorder /p' "$WORK/capture.err")"
}
finish() {
  kill -INT "$CAPTURE"
  wait "$CAPTURE" || true
  read_rows "$RECORDED"
}

for engine in "--ioengine=psync" "--ioengine=io_uring --iodepth=32 --iodepth_batch_submit=16 --hipri=0"; do
  # shellcheck disable=SC2086
  load $engine
  printf '%-28s %7.0f IOPS\n' "without: ${engine%% *}" "$(jq '.jobs[0].read.iops' "$WORK/fio.json")"
  start_capture "$WORK/default.rgt" -d "$DEVICE" --allow-loss
  # shellcheck disable=SC2086
  load $engine
  finish
  report "recorded" "$WORK/default.rgt"
done
start_capture "$WORK/stopped.rgt" -d "$DEVICE" --allow-loss --buffer 256K
kill -STOP "$CAPTURE"
(sleep 2; kill -CONT "$CAPTURE") &
keep_pid $!
load --ioengine=psync
finish
report "256 KiB, stopped for 2 s" "$WORK/stopped.rgt"
