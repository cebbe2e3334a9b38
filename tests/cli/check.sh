#!/usr/bin/env bash
# check names damage with its offset and count and fails; repair saves the rest; both say so when
# there is nothing wrong.
source "$(dirname "$0")/lib.sh"

GOOD=$RIGEL_SOURCE/tests/data/busy-v1.rgt

expect_exit 0 "$RIGEL" check "$GOOD"
expect_stdout "intact, 1,000 records"
expect_stdout "12 more were lost in recording"
expect_exit 0 "$RIGEL" check --json "$GOOD"
expect_stdout '"intact": true'

# A byte in the middle: one block is lost, the others are not.
cp "$GOOD" "$WORK/flipped.rgt"
printf '\377\377\377\377' | dd of="$WORK/flipped.rgt" bs=1 seek=8000 conv=notrunc status=none
expect_exit 1 "$RIGEL" check "$WORK/flipped.rgt"
expect_stdout "checksum of a block's content does not match"
expect_stdout "128 records lost"
expect_stdout "damaged in 1 place, 872 records are readable"
expect_exit 1 "$RIGEL" check --json "$WORK/flipped.rgt"
expect_stdout '"records_lost": 128'
expect_exit 0 "$RIGEL" repair "$WORK/flipped.rgt" "$WORK/repaired.rgt"
expect_stdout "872 records saved; 1 place damaged, 128 records known to be lost"
expect_exit 0 "$RIGEL" check "$WORK/repaired.rgt"
expect_stdout "intact, 872 records, 140 more were lost in recording"

# Cut in the middle, from a pipe.
head -c 5000 "$GOOD" >"$WORK/cut.rgt"
expect_exit 1 "$RIGEL" check "$WORK/cut.rgt"
expect_stdout "before the end of a block"
expect_exit 0 bash -c '"$0" repair - "$1" <"$2"' "$RIGEL" "$WORK/from-pipe.rgt" "$WORK/cut.rgt"
expect_exit 0 "$RIGEL" check "$WORK/from-pipe.rgt"

# Cut inside the footer: all records are there.
head -c -10 "$GOOD" >"$WORK/tail.rgt"
expect_exit 1 "$RIGEL" check "$WORK/tail.rgt"
expect_stdout "1,000 records are readable"
expect_exit 0 "$RIGEL" repair "$WORK/tail.rgt" "$WORK/whole.rgt"
expect_exit 0 "$RIGEL" check "$WORK/whole.rgt"
expect_stdout "intact, 1,000 records"

# Nothing to be saved, nowhere to save it, and a typing error.
head -c 100000 /dev/zero >"$WORK/zeros"
: >"$WORK/empty"
for nothing in "$WORK/zeros" "$WORK/empty" "$WORK" "$WORK/none"; do
  expect_exit 1 "$RIGEL" check "$nothing"
  expect_stderr "$nothing"
  expect_exit 1 "$RIGEL" repair "$nothing" "$WORK/out.rgt"
done
expect_exit 1 "$RIGEL" check --format rgt "$WORK/zeros"
expect_stderr "$WORK/zeros: at byte 0: no block header"
# Cut before its first block ends: still this format, whatever the name, for every command.
for size in 1 24 71 90; do
  head -c "$size" "$GOOD" >"$WORK/cut"
  for command in check info cat; do
    expect_exit 1 "$RIGEL" "$command" "$WORK/cut"
    expect_stderr "$WORK/cut: at byte 0: the file ends"
  done
done
# Cut behind the first block: there is nothing to say of times where no I/O is left.
head -c 300 "$GOOD" >"$WORK/cut"
expect_exit 0 "$RIGEL" info "$WORK/cut"
expect_stdout "I/Os         none"
! grep -q "holds no times" "$OUT" || fail "info speaks of the times of no I/O"
expect_exit 1 "$RIGEL" repair "$GOOD" /dev/full
expect_stderr "/dev/full"
expect_stderr "No space left on device"
cp "$GOOD" "$WORK/same.rgt"
expect_exit 2 "$RIGEL" repair "$WORK/same.rgt" "$WORK/./same.rgt"
cmp "$GOOD" "$WORK/same.rgt" || fail "the input was touched"
expect_exit 2 "$RIGEL" check
expect_exit 2 "$RIGEL" repair "$GOOD"
