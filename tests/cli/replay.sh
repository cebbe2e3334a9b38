#!/usr/bin/env bash
# rigel replay on a file, which needs no privilege, and what it refuses on the command line.
source "$RIGEL_SOURCE/tests/cli/lib.sh"

cat >"$WORK/t.log" <<'LOG'
fio version 3 iolog
0 /dev/recorded add
0 /dev/recorded open
0 /dev/recorded read 0 4096
1000 /dev/recorded read 8192 8192
2000 /dev/recorded write 0 4096
3000 /dev/recorded read 1048576 4096
LOG
truncate -s 1M "$WORK/target"

usage() {
  local text=$1
  shift
  expect_exit 2 "$RIGEL" replay "$@"
  expect_stderr "$text"
}
usage "needs a trace" --target "$WORK/target"
usage "needs a --target or a --map" "$WORK/t.log"
usage "--speed and --flat-out exclude each other" --speed 2 --flat-out --target "$WORK/target" "$WORK/t.log"
usage "--speed: must be more than 0" --speed 0 --target "$WORK/target" "$WORK/t.log"
usage "--depth 0: a whole number from 1 to 65536 is wanted" --depth 0 --target "$WORK/target" "$WORK/t.log"
usage "--spin sometimes" --spin sometimes --target "$WORK/target" "$WORK/t.log"
usage "--fit squeeze" --fit squeeze --target "$WORK/target" "$WORK/t.log"
usage "write it DEVICE=TARGET[@OFFSET]" --map sda "$WORK/t.log"
usage "write it FIRST:LAST:STEP" --iops-ramp 10 --target "$WORK/target" "$WORK/t.log"
usage "need each other" --scale 2 --scale-mode shift --target "$WORK/target" "$WORK/t.log"
usage "can be read only once" --loop 2 --target "$WORK/target" -
usage "--destroy-data needs --write" --destroy-data "$WORK/target" --target "$WORK/target" "$WORK/t.log"

expect_exit 1 "$RIGEL" replay --target "$WORK/nothing" "$WORK/t.log"
expect_stderr "$WORK/nothing: cannot be a target: No such file or directory"
expect_exit 1 "$RIGEL" replay --target "$WORK" "$WORK/t.log"
expect_stderr "$WORK: not a block device or a regular file"
expect_exit 1 "$RIGEL" replay --target "$WORK/target" "$WORK/nothing.rgt"
expect_stderr "$WORK/nothing.rgt"
: >"$WORK/empty"
expect_exit 1 "$RIGEL" replay --target "$WORK/empty" "$WORK/t.log"
expect_stderr "$WORK/empty: empty file"

# One read is beyond the end of the target: all others are issued, and the verdict says so.
expect_exit 3 "$RIGEL" replay --buffered --target "$WORK/target" "$WORK/t.log"
expect_stdout "issued          2 of 4 records"
expect_stdout "1: write without --write"
expect_stdout "1: beyond the end of the target"
expect_stdout "faithful        no"
expect_stdout "  - 1 records not issued: beyond the end of the target"
cmp "$WORK/target" <(head -c 1M /dev/zero) || fail "a replay without --write has written"

expect_exit 3 "$RIGEL" replay --buffered --json --target "$WORK/target" "$WORK/t.log"
head -n 2 "$OUT" | grep -q '"schema": 1,' || fail "schema is not first"
