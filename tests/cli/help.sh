#!/usr/bin/env bash
# Help goes to standard output with 0; a wrong command line is one line on standard error with 2.
source "$RIGEL_SOURCE/tests/cli/lib.sh"

expect_exit 0 "$RIGEL" --version
expect_exit 0 "$RIGEL" help
expect_exit 2 "$RIGEL"
expect_exit 2 "$RIGEL" no-such-command
expect_exit 2 "$RIGEL" hepl
expect_stderr "did you mean 'help'"

"$RIGEL" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | while read -r command; do
  expect_exit 0 "$RIGEL" help "$command"
  expect_exit 0 "$RIGEL" "$command" --help
  [ -s "$OUT" ] || fail "$command --help printed nothing"
done

# The formats, one a line; what --format refuses sends there.
expect_exit 0 "$RIGEL" help formats
grep -qE '^  msr +Microsoft' "$OUT" || fail "no line for a format that is read"
grep -qE '^  fio3 .*\.fio$' "$OUT" || fail "no line for a format that is written"
[ "$(wc -L <"$OUT")" -le 80 ] || fail "lines are too long"
expect_exit 2 "$RIGEL" info --format nonesuch /dev/null
expect_stderr "rigel help formats"
[ "$(wc -L <"$ERR")" -le 100 ] || fail "the error is too long"
