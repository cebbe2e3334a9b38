#!/usr/bin/env bash
# Every command that README.md shows works as it is shown: what begins with "$ " in its code blocks is
# run, in order, in an empty folder, with the kept sample as the recording and files for devices.
# What needs a machine of its own is run by other tests, and must be one of these:
source "$RIGEL_SOURCE/tests/cli/lib.sh"
elsewhere='^(\./run-tests|\./run-demo|sudo rigel capture .*|cmake --(preset|build|install) .*|sudo cmake --install .*)$'

mkdir "$WORK/bin" "$WORK/here"
ln -s "$RIGEL" "$WORK/bin/rigel"
cp "$RIGEL_SOURCE/traces/samples/postgresql.rgt" "$WORK/here/day.rgt"
truncate -s 1G "$WORK/here/disk"
cd "$WORK/here"

sed -n '/^```/,/^```/s/^\$ //p' "$RIGEL_SOURCE/README.md" >"$WORK/commands"
[ "$(wc -l <"$WORK/commands")" -ge 6 ] || fail "README.md shows hardly any command"
while read -r command; do
  if [[ $command =~ $elsewhere ]]; then continue; fi
  # /dev/sdX stands for the reader's device.
  code=0
  PATH=$WORK/bin:$PATH bash -c "${command//\/dev\/sdX/disk}" >"$OUT" 2>"$ERR" </dev/null || code=$?
  # 3: done, and the answer is no; on a busy machine a replay may be unfaithful.
  [ "$code" -eq 0 ] || [ "$code" -eq 3 ] || { cat "$ERR" >&2; fail "exit $code: $command"; }
  [ -s "$OUT" ] || [[ $command =~ convert|report ]] || fail "printed nothing: $command"
done <"$WORK/commands"

# What it names must be there.
grep -oE '\]\([^)#]+\)' "$RIGEL_SOURCE/README.md" | sed 's/^](//; s/)$//' | grep -v '^https\?:' |
  while read -r path; do
    [ -e "$RIGEL_SOURCE/$path" ] || fail "README.md links to $path, which is not there"
  done
