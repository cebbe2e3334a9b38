#!/usr/bin/env bash
# Every command has a manual page, with the sections that people look for, that groff takes without
# a warning, and that names every long option of `--help`.
source "$RIGEL_SOURCE/tests/cli/lib.sh"

pages=$(dirname "$(dirname "$RIGEL")")/man

check_page() {
  local page=$1 section option
  [ -s "$page" ] || fail "there is no $page"
  LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -E UTF-8 -l "$page" >"$WORK/text" 2>"$WORK/warnings" ||
    fail "man cannot show $page"
  [ ! -s "$WORK/warnings" ] || { cat "$WORK/warnings" >&2; fail "groff warns of $page"; }
  for section in NAME SYNOPSIS DESCRIPTION "EXIT STATUS" DIAGNOSTICS EXAMPLES; do
    grep -qx "$section" "$WORK/text" || fail "$page has no section $section"
  done
}

# The tables of formats fit a terminal of 80 columns.
LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l "$pages/rigel-formats.7" >"$WORK/text"
[ "$(LC_ALL=C.UTF-8 wc -L <"$WORK/text")" -le 80 ] || fail "rigel-formats(7) is too wide"

# rigel-results(5) names every property of the JSON Schema beside it.
LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -E UTF-8 -l "$pages/rigel-results.5" >"$WORK/text" 2>"$WORK/warnings"
[ ! -s "$WORK/warnings" ] || { cat "$WORK/warnings" >&2; fail "groff warns of rigel-results(5)"; }
jq -r '."$defs"[].properties | keys[]' "$RIGEL_SOURCE/report/results.schema.json" | sort -u >"$WORK/properties"
[ "$(wc -l <"$WORK/properties")" -ge 200 ] || fail "the schema names hardly any property"
while read -r property; do
  grep -qw -- "$property" "$WORK/text" || fail "rigel-results(5) does not mention $property"
done <"$WORK/properties"

check_page "$pages/rigel.1"
"$RIGEL" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | sed '/^help$/d' | while read -r command; do
  check_page "$pages/rigel-$command.1"
  "$RIGEL" "$command" --help | sed -nE 's/^ .*(--[a-z][a-z-]*).*/\1/p' | sort -u | sed '/^--help$/d' |
    while read -r option; do
      grep -qF -- "$option" "$WORK/text" || fail "rigel-$command.1 does not mention $option"
    done
done
