#!/usr/bin/env bash
# No output is ever written over what a command reads: by its own name, a hard link or a symbolic one, the
# file stays as it is, and the command line is refused.
source "$(dirname "$0")/lib.sh"
cd "$WORK" || exit 1

{ echo time_us,offset_bytes,length_bytes,op
  for i in $(seq 0 99); do echo "$((i * 1000)),$((i % 7 * 4096)),4096,read"; done; } >trace.csv
"$RIGEL" convert trace.csv trace.rgt
"$RIGEL" simulate uniform --array disks32-96g --span 3T -n 1,8 --analytic --json >curve.json
"$RIGEL" array show one-disk >array.ini
"$RIGEL" model trace.csv --cache 1M --json >model.json
head -c 1M /dev/urandom >disk
echo "$WORK/disk" >t.lun

# keeps INPUT ARGUMENTS... OPTION: with the option's file named as the input is, and linked to it.
keeps() {
  local input=$1 before hard=hard-$1 soft=soft-$1
  shift
  before=$(sha256sum <"$input")
  ln -f "$input" "$hard"
  ln -sf "$input" "$soft"
  for out in "$input" "./$input" "$hard" "$soft"; do
    expect_exit 2 "$RIGEL" "$@" "$out"
    expect_stderr "$out is both input and output"
    expect_equal "$(sha256sum <"$input")" "$before" "$input after rigel $* $out"
  done
  rm "$hard" "$soft"
}

for trace in trace.csv trace.rgt; do
  keeps $trace info $trace --svg
  keeps $trace model $trace --cache 1M --svg
  keeps $trace simulate $trace --array array.ini --svg
  keeps $trace report $trace -o
  keeps $trace convert $trace
  for option in --svg --series --record; do keeps $trace replay $trace --target disk "$option"; done
done
keeps trace.csv model trace.rgt trace.csv --cache 1M --curve
keeps array.ini simulate uniform --array array.ini --svg
keeps curve.json explain curve.json --disks 32 --cache 96G --span 3T --svg
keeps array.ini explain curve.json --array array.ini --span 3T --svg
keeps trace.rgt explain curve.json --array array.ini --span 3T --trace trace.rgt --svg
keeps curve.json report trace.csv curve.json -o
for option in --svg --series --record; do keeps disk replay trace.csv --target disk "$option"; done
for lun in disk t.lun; do
  keeps $lun orion -run advanced -testname t -matrix point -num_small 1 -num_large 0 -num_disks 1 -duration 1 --record
done

# Standard output that is closed is told by every command that prints; the others do without.
for command in help --version "info trace.csv" "info trace.csv --json" "cat trace.csv" "check trace.rgt" "array list" \
  "model trace.csv --cache 1M" "compare trace.csv trace.csv" "compare trace.csv trace.csv --json" "convert trace.csv -"; do
  # shellcheck disable=SC2086
  code=0; "$RIGEL" $command >&- 2>"$ERR" || code=$?
  expect_equal $code 1 "exit of rigel $command with its output closed"
  grep -q "standard output" "$ERR" || { cat "$ERR"; fail "rigel $command does not say that its output is closed"; }
done
"$RIGEL" convert trace.csv quiet.rgt >&- || fail "convert prints nothing and needs no output"
