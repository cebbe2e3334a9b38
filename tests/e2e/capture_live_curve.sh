#!/usr/bin/env bash
# The live miss-ratio curve: what the kernel side samples gives the curve that all records give, and
# what is not in the sample is not sent. Right values by counting on paper.
source "$(dirname "$0")/capture_lib.sh"
need_tools fio

loop_device disk 64M
curve() { # OPTIONS… -- COMMAND…: the table at the end in $OUT; what was reported in $ERR
  expect_exit 0 "$RIGEL" capture --live-mrc --interval 1h "$@"
}
seen() { sed -nE 's/^([0-9,]+) reads and writes in .*/\1/p' "$ERR" | tr -d ,; }
sampled() { sed -nE 's/.*: ([0-9,]+) touched a page.*/\1/p' "$ERR" | tr -d ,; }

# 85 reads of 96 KiB, twice: each touches two pages of 64 KiB, every other one of them the last one of
# the read before. 340 accesses to 128 pages: 84 hit whatever the size, another 128 where 8 MiB fit.
cat >"$WORK/twice" <<END
for _ in 1 2; do dd if=$DEVICE of=/dev/null iflag=direct bs=96k count=85 status=none; done
END
curve -d "$DEVICE" --page 64k -- bash "$WORK/twice"
expect_equal "$(sed -n 's/^  hits so far *//p' "$OUT")" "24.71 %   24.71 %   62.35 %" "hits in 1, 4 and 16 MiB"
expect_equal "$(seen)" 170 "reads seen"
grep -q "about 8 MiB touched" "$OUT" || fail "$(cat "$OUT")"

# More pages than the sample holds: 131,072. The same reads give the same table, bit by bit, from the
# kernel's sample and from a recording; the kernel has sent only some of them.
reads() {
  fio --name=reads --filename="$DEVICE" --direct=1 --rw=randread --bs=4k --size=64M --io_size=1G --number_ios=20011 --norandommap \
    --random_distribution=zipf:0.6 --randseed=11 --ioengine=psync --output=/dev/null
}
export DEVICE
export -f reads
curve -d "$DEVICE" --page 512 -- bash -c reads
mv "$OUT" "$WORK/kernel"
grep -q ", from [0-9.]* % of them" "$WORK/kernel" || fail "no sample: the test shows nothing"
expect_equal "$(seen)" 20011 "reads seen"
[ "$(sampled)" -lt 20011 ] || fail "all were sent: $(cat "$ERR")"
curve -d "$DEVICE" --page 512 -o "$WORK/all.rgt" -- bash -c reads
expect_equal "$(cat "$WORK/kernel")" "$(cat "$OUT")" "the curve of the recording"

# What asks for more than pages records as ever.
curve -d "$DEVICE" --comm nobody -- bash "$WORK/twice"
grep -q "0 I/Os started" "$ERR" || fail "$(cat "$ERR")"

# Partitions are parts of their disk: the first MiB of one is not that of the other. Named by
# themselves, only they count.
loop_device parted 64M --partscan
addpart "$DEVICE" 1 2048 8192
addpart "$DEVICE" 2 10240 8192
wait_for 5 test -b "${DEVICE}p2"
cat >"$WORK/both" <<END
for part in 1 2; do dd if=${DEVICE}p\$part of=/dev/null iflag=direct bs=64k count=16 status=none; done
dd if=$DEVICE of=/dev/null iflag=direct bs=64k count=32 skip=16 status=none
END
curve -d "$DEVICE" --page 64k --op read -- bash "$WORK/both"
# 32 pages of the partitions; then the disk's from 1 MiB on: those of the first, and 16 more.
grep -q "about 3 MiB touched" "$OUT" || fail "$(cat "$OUT")"
expect_equal "$(sed -nE 's/^  hits so far .* ([0-9.]+ %)$/\1/p' "$OUT")" "25.00 %" "hits in 4 MiB"
curve -d "${DEVICE}p2" --page 64k -- bash "$WORK/both"
expect_equal "$(seen)" 16 "reads of the second partition"

# A recorder that does not keep up counts what of the sample it lost.
"$RIGEL" capture -d "$DEVICE" --live-mrc --buffer 16K >"$OUT" 2>"$ERR" &
CAPTURE=$!
keep_pid "$CAPTURE"
wait_for 20 grep -qs "^recording" "$ERR"
kill -STOP "$CAPTURE"
dd if="$DEVICE" of=/dev/null iflag=direct bs=4k count=1009 status=none
kill -CONT "$CAPTURE"
kill -INT "$CAPTURE"
code=0
wait "$CAPTURE" || code=$?
expect_equal "$code" 1 "exit of a recorder that lost some"
expect_equal "$(seen)" 1009 "reads seen"
grep -q "lost .*: ring full" "$ERR" || fail "the cause is not told: $(cat "$ERR")"
