#!/usr/bin/env bash
# Presets are listed and shown; a shown array is a valid file; errors name key, value and range.
source "$(dirname "$0")/lib.sh"

expect_exit 0 "$RIGEL" array list
expect_stdout "disks32-96g"
"$RIGEL" array list --json | jq -e '.schema == 1 and (.arrays | length) >= 5' >/dev/null || fail "json of list"

for name in $("$RIGEL" array list --json | jq -r '.arrays[].name'); do
  "$RIGEL" array show "$name" >"$WORK/$name.ini"
  expect_exit 0 "$RIGEL" array show "$WORK/$name.ini"
  cmp "$OUT" "$WORK/$name.ini" || fail "$name is not what it was"
done

printf '[disks]\ncount = 0\n' >"$WORK/bad.ini"
expect_exit 2 "$RIGEL" array show "$WORK/bad.ini"
expect_stderr "bad.ini: [disks] count = 0: a whole number from 1 to 4096 is wanted"
printf '[disks]\nspindles = 4\n' >"$WORK/bad.ini"
expect_exit 2 "$RIGEL" array show "$WORK/bad.ini"
expect_stderr "[disks] has no key 'spindles'"
head -c 4096 /dev/zero >"$WORK/zeros"
expect_exit 1 "$RIGEL" array show "$WORK/zeros"
expect_stderr "NUL byte"
expect_exit 1 "$RIGEL" array show "$WORK"
expect_stderr "irectory"
expect_exit 1 "$RIGEL" array show "$WORK/none.ini"
expect_stderr "none.ini: cannot open: No such file or directory"
expect_exit 2 "$RIGEL" array show foo
expect_stderr "there is no array 'foo', nor a file of that name; the arrays are disks32-96g"
expect_exit 2 "$RIGEL" array
expect_exit 2 "$RIGEL" array show
