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
