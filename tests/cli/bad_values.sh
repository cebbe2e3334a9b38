#!/usr/bin/env bash
# Option values that make no sense are refused, exit 2, in one line that names the option: signs, junk
# and overflow in every option that takes a number; windows that hold nothing; things named twice.
source "$(dirname "$0")/lib.sh"

TRACE=$RIGEL_SOURCE/tests/data/busy-v1.rgt

refused() { # OPTION COMMAND...
  local option=$1
  shift
  expect_exit 2 "$RIGEL" "$@"
  grep -qF -- "$option" "$ERR" || { cat "$ERR" >&2; fail "the error does not name $option: $*"; }
  [ "$(wc -l <"$ERR")" = 1 ] || fail "more than a line: $*"
}

# COMMAND OPTION REST...: the option takes a whole number.
whole_number() {
  local command=$1 option=$2 value
  shift 2
  for value in -1 +1 "" 1x x 1.5 1e3 0x10 " 1" 18446744073709551616 99999999999999999999999; do
    refused "$option" "$command" "$option=$value" "$@"
    refused "$option" "$command" "$option" "$value" "$@"
  done
}
for command in info cat; do whole_number "$command" --every "$TRACE"; done
whole_number convert --every "$TRACE" "$WORK/out.rgt"
for option in --pid --sample; do whole_number capture "$option" -o "$WORK/out.rgt"; done
for option in --loop --scale --depth --threads; do
  whole_number replay "$option" --target "$WORK/disk" "$TRACE"
done
for option in --threads --shards-pages; do whole_number model "$option" --cache 1G "$TRACE"; done
whole_number model --samples --cache 1G --shards 0.1 "$TRACE"
for option in --ios --seed; do whole_number simulate "$option" uniform --array disks32-96g; done
for option in --num_disks --size_small --num_streamIO --duration --seed; do
  whole_number orion "$option" --run simple
done

# COMMAND OPTION REST...: the option takes a number with a fraction, which is finite and has no sign.
number() {
  local command=$1 option=$2 value
  shift 2
  for value in -1 -0.5 "" 1x nan inf -inf 1e999; do refused "$option" "$command" "$option=$value" "$@"; done
}
number info --sample "$TRACE"
for option in --speed --iops; do number replay "$option" --target "$WORK/disk" "$TRACE"; done
number model --shards --cache 1G "$TRACE"
number model --iops --cache 1G --uniform 1T
for option in --writes --speed; do number simulate "$option" uniform --array disks32-96g; done

# Sizes and times.
for value in -1 "" 1q 99999999999999999999 0x10; do
  refused --page info --page="$value" "$TRACE"
  refused --record-page info --record-page="$value" "$TRACE"
  refused --cache model --cache="$value" "$TRACE"
  refused --from info --from="$value" "$TRACE"
  refused --duration replay --duration="$value" --target "$WORK/disk" "$TRACE"
done

# Ranges: a dash in front is a sign; what ends before it begins, or holds nothing, is none.
for value in -1 -5 - 5k-4k 1-2-3 x-y 9G-10G; do refused --length info --length="$value" "$TRACE"; done
for value in -1 -5 - 5k-4k 4k-4k x-y; do refused --offset-range info --offset-range="$value" "$TRACE"; done
refused --until info --from 5s --until 1s "$TRACE"
refused --until info --from 5s --until 5s "$TRACE"

# A unit of time that there is none, and one for a format that says its own.
expect_exit 2 "$RIGEL" info --time-unit foo "$TRACE"
expect_stderr "foo"
expect_exit 2 "$RIGEL" info --time-unit ms "$TRACE"
expect_stderr "rgt"

# Named twice.
refused "1 GiB" model --cache 1G,1G "$TRACE"
refused "1 GiB" model --cache 1G --cache 1024M "$TRACE"
refused "--cache" model --cache 1G, "$TRACE"
refused --outstanding simulate uniform --array disks32-96g --outstanding 1,8,1
refused --device capture -o "$WORK/out.rgt" -d L -d L
refused --pid capture -o "$WORK/out.rgt" --pid 1 --pid 1
refused --comm capture -o "$WORK/out.rgt" --comm a --comm a
for option in --device --op --role --stream; do refused "$option" info "$option" read "$option" read "$TRACE"; done
[ ! -e "$WORK/out.rgt" ] || fail "a command line that is refused left a file"
