#!/usr/bin/env bash
# What `cmake --install` puts somewhere else works there: the program, its manual pages, its licence.
source "$RIGEL_SOURCE/tests/cli/lib.sh"

expect_exit 0 cmake --install "$(dirname "$(dirname "$RIGEL")")" --prefix "$WORK/usr"
expect_exit 0 env -i "$WORK/usr/bin/rigel" --version
expect_stdout "rigel "
[ -s "$WORK/usr/share/doc/rigel/LICENSE" ] || fail "no licence was installed"
[ -s "$WORK/usr/share/doc/rigel/chart.js-licence.txt" ] || fail "Chart.js' licence was not installed"
[ -s "$WORK/usr/share/rigel/results.schema.json" ] || fail "no schema was installed"
[ -s "$WORK/usr/share/man/man1/rigel.1" ] || fail "no manual page was installed"
expect_exit 0 env -i PATH="$PATH" MANPATH="$WORK/usr/share/man" man -w rigel
