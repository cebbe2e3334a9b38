#!/usr/bin/env bash
# Both founding runs get their answer; every ORION sample is taken or refused in one line; the
# founding array as a file and as options is the same.
source "$RIGEL_SOURCE/tests/cli/lib.sh"

orion=$RIGEL_TEST_DATA/orion
[ -d "$orion" ] || fail "there is no $orion"

expect_exit 0 "$RIGEL" explain "$orion/seed-3tb.txt" --disks 32 --cache 96G --span 3T --hit-time 300us --miss-time 8ms --json
jq -e '.schema == 1 and (.points | length) == 27 and
       (.points[-1] | .iops == 5533 and .hit_ratio_expected < 0.01 and .hit_ratio_implied > 0.2) and
       ([.hypotheses[] | select(.verdict == "consistent") | .name] | length == 1 and (.[0] | startswith("a change that depends"))) and
       ([.hypotheses[].likelihood] | add - 1 | fabs < 1e-9) and
       (.conclusion | contains("Between 128 and 136"))' "$OUT" >/dev/null ||
  { cat "$OUT"; fail "the 3 TB run"; }

expect_exit 0 "$RIGEL" explain "$orion/seed-512g.txt" --disks 32 --cache 96G --span 512G --hit-time 300us --miss-time 8ms --json
jq -e '(.points | length) == 26 and all(.points[]; .hit_ratio_expected <= 0.1876) and
       (.hypotheses[] | select(.name | startswith("independent uniform")) | .verdict == "refuted") and
       (.conclusion | contains("93 %"))' "$OUT" >/dev/null || { cat "$OUT"; fail "the 512 GB run"; }

for sample in "$orion"/*.txt "$orion"/*.csv; do
  code=0
  "$RIGEL" explain "$sample" --disks 4 --cache 1G --span 100G >"$OUT" 2>"$ERR" || code=$?
  [ $code -eq 0 ] || { [ $code -eq 1 ] && [ "$(wc -l <"$ERR")" -eq 1 ]; } || fail "$sample: exit $code"
done

# What simulate writes, explain reads; honest reads of an array are called that.
"$RIGEL" simulate uniform --array disks32-96g --span 3T --cold -n 1,2,4,8,16,32,64,128,160 --ios 20000 --csv >"$WORK/curve.csv"
expect_exit 0 "$RIGEL" explain "$WORK/curve.csv" --array disks32-96g --span 3T --json
jq -e '.hypotheses[] | select(.name | startswith("independent uniform")) | .verdict == "consistent"' "$OUT" >/dev/null ||
  { cat "$OUT"; fail "honest reads are not called so"; }

expect_exit 2 "$RIGEL" explain "$orion/seed-3tb.txt" --span 3T
expect_stderr "needs --array"
expect_exit 2 "$RIGEL" explain "$orion/seed-3tb.txt" --disks 32 --cache 96G
expect_stderr "needs --span"
expect_exit 1 "$RIGEL" explain /etc/passwd --disks 32 --cache 96G --span 3T
expect_stderr "nothing of ORION's in it"
expect_exit 1 "$RIGEL" explain "$WORK/none" --disks 32 --cache 96G --span 3T
expect_stderr "none: cannot open"
