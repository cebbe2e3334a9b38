#!/usr/bin/env bash
# A generator that begins anew at each point, run on the virtual LUN and recorded, is told from
# honest uniform reads: by the recording always, and by the averages alone.
source "$(dirname "$0")/lun_lib.sh"
[ "$(uname -m)" = x86_64 ] || [ "$(uname -m)" = aarch64 ] || skip "rigel captures on x86-64 and arm64"

# 64 MiB of cache before 2 GiB; more outstanding than 32 disks of 8 ms serve at once.
start_lun explained --loop --size 2G
# ladder honest|restarted: loads of 1 to 64, 2 s each, as a curve, and the recording.
ladder() {
  local name=$1 depth repeat=0
  [ "$name" != restarted ] || repeat=1  # fio's default: each run begins the same sequence
  "$RIGEL" capture -o "$WORK/$name.rgt" -d "$DEVICE" 2>"$WORK/capture.err" &
  local recorder=$!
  keep_pid $recorder
  is_recording() { grep -q '^recording' "$WORK/capture.err"; }
  wait_for 20 is_recording
  echo "outstanding,iops,latency_ns,duration_ns" >"$WORK/$name.csv"
  for depth in 1 4 16 32 64; do
    reads $depth 2 --randrepeat=$repeat --random_generator=tausworthe64 --norandommap >"$WORK/fio.json"
    jq -r --arg n $depth '.jobs[0].read | [$n, .iops, .clat_ns.mean, .runtime * 1e6] | @csv' "$WORK/fio.json" |
      tr -d '"' >>"$WORK/$name.csv"
  done
  kill -INT $recorder
  wait $recorder || [ $? = 130 ] || fail "capture: $(cat "$WORK/capture.err")"
}
verdict() { jq -r --arg name "$1" '.hypotheses[] | select(.name | startswith($name)) | .verdict' "$OUT"; }
# judged HYPOTHESIS VERDICT OF-WHAT
judged() {
  [ "$(verdict "$1")" = "$2" ] ||
    { jq -c '.hypotheses[] | [.name, .verdict, .why]' "$OUT" >&2; fail "$3: '$1' is $(verdict "$1"), not $2"; }
}
explained() {
  expect_exit 0 "$RIGEL" explain "$WORK/$1.csv" --disks 32 --cache 64M --span 2G --hit-time 300us --miss-time 8ms \
    --json "${@:2}"
}

ladder honest
ladder restarted
kill -INT $LUN
wait $LUN || true
lun_is_gone

explained honest --trace "$WORK/honest.rgt"
judged "independent uniform" certain "honest reads, recorded"
judged "the generator restarted" refuted "honest reads, recorded"
explained restarted --trace "$WORK/restarted.rgt"
judged "the generator restarted" certain "restarted reads, recorded"
judged "independent uniform" refuted "restarted reads, recorded"
explained honest
judged "the generator restarted" refuted "honest reads, averages"
[ "$(verdict "independent uniform")" != refuted ] || judged "independent uniform" consistent "honest reads, averages"
explained restarted
judged "independent uniform" refuted "restarted reads, averages"
[ "$(verdict "the generator restarted")" != refuted ] ||
  judged "the generator restarted" consistent "restarted reads, averages"
