#!/usr/bin/env bash
# rigel convert: what it keeps, what it refuses, and what it leaves behind when it fails.
source "$(dirname "$0")/lib.sh"

[ -r "$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi" ] || fail "no real traces in '$RIGEL_TEST_DATA'"
VSCSI=$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi

# value FILE KEY: of the outermost object of a trace's `info --json`.
value() { "$RIGEL" info --json "$1" 2>"$WORK/doubts" | sed -n "s/^  \"$2\": \([0-9.]*\),\{0,1\}$/\1/p"; }
expect_value() {
  local got
  got=$(value "$1" "$2")
  [ "$got" = "$3" ] || fail "$1: $2 is '$got', not $3"
}

# The counts are those that the trace's publisher states.
expect_exit 0 "$RIGEL" convert "$VSCSI" "$WORK/cp.rgt"
expect_value "$WORK/cp.rgt" records 113872
expect_value "$WORK/cp.rgt" reads 46974
expect_exit 0 "$RIGEL" convert --op read "$VSCSI" "$WORK/reads.rgt"
expect_value "$WORK/reads.rgt" records 46974
expect_exit 0 "$RIGEL" convert --op write "$VSCSI" "$WORK/writes.rgt"
expect_value "$WORK/writes.rgt" records $((113872 - 46974))

# The parts merged are the whole: same pages, same duration.
expect_exit 0 "$RIGEL" convert "$WORK/reads.rgt" "$WORK/writes.rgt" "$WORK/merged.rgt"
expect_value "$WORK/merged.rgt" records 113872
expect_value "$WORK/merged.rgt" footprint_bytes "$(value "$WORK/cp.rgt" footprint_bytes)"
expect_value "$WORK/merged.rgt" duration_ns "$(value "$WORK/cp.rgt" duration_ns)"

# Filters combine: four I/Os, by hand. MSR: time in 100 ns, host, disk, op, offset, bytes, latency.
cat >"$WORK/hand.csv" <<'CSV'
128166372000000000,db,0,Read,0,8192,10000
128166372010000000,db,1,Read,8192,8192,10000
128166372020000000,db,1,Write,16384,4096,10000
128166372030000000,db,1,Read,65536,8192,10000
CSV
kept() {
  expect_exit 0 "$RIGEL" convert "$@" "$WORK/hand.csv" "$WORK/kept.rgt"
  value "$WORK/kept.rgt" records
}
[ "$(kept)" = 4 ] || fail "all"
[ "$(kept --from 1s)" = 3 ] || fail "--from"
[ "$(kept --from 1s --until 3s)" = 2 ] || fail "--until"
[ "$(kept --from 1s --until 3s --op read)" = 1 ] || fail "--op"
[ "$(kept --length 5k-1M)" = 3 ] || fail "--length"
[ "$(kept --offset-range 12k-17k)" = 2 ] || fail "--offset-range"
[ "$(kept --every 2)" = 2 ] || fail "--every"
[ "$(kept --shift=-2s --from 0s)" = 2 ] || fail "--shift"

# Through a pipe.
"$RIGEL" convert "$VSCSI" - --to rgt | "$RIGEL" info --json - >"$WORK/piped.json"
grep -q '^  "records": 113872,$' "$WORK/piped.json" || fail "through a pipe"

# Anonymizing keeps reuse, hides names, and is settled by its key.
echo "a secret" >"$WORK/key"
expect_exit 0 "$RIGEL" convert --anonymize --key-file "$WORK/key" "$WORK/hand.csv" "$WORK/a.rgt"
expect_exit 0 "$RIGEL" convert --anonymize --key-file "$WORK/key" "$WORK/hand.csv" "$WORK/b.rgt"
cmp "$WORK/a.rgt" "$WORK/b.rgt" || fail "the same key gave different files"
expect_value "$WORK/a.rgt" footprint_bytes "$(value "$WORK/hand.csv" footprint_bytes)"
"$RIGEL" info --json "$WORK/a.rgt" | grep -q '"db' && fail "the host's name is still there"
expect_exit 2 "$RIGEL" convert --granularity 64k "$WORK/hand.csv" "$WORK/c.rgt"
# A pipe cannot be read twice to learn how far the devices reach.
"$RIGEL" convert --anonymize - "$WORK/c.rgt" <"$WORK/hand.csv" 2>"$ERR" && fail "anonymized a pipe"
expect_stderr "beyond the known end"

# Command lines that make no sense.
expect_exit 2 "$RIGEL" convert "$WORK/hand.csv"
expect_exit 2 "$RIGEL" convert "$WORK/hand.csv" "$WORK/x.unknown"
expect_exit 2 "$RIGEL" convert --op reed "$WORK/hand.csv" "$WORK/x.rgt"
expect_stderr "'reed'"
for wrong in --every=0 --sample=0 --sample=1.5 --offset-range=5 --offset-range=2k-1k --length=9G \
             --shift=5 --sample-page=0; do
  expect_exit 2 "$RIGEL" convert "$wrong" "$WORK/hand.csv" "$WORK/x.rgt"
done
expect_exit 2 "$RIGEL" convert --shift 1s --shift 2s "$WORK/hand.csv" "$WORK/x.rgt"

# What fails leaves no output, and what would be destroyed is refused.
expect_exit 1 "$RIGEL" convert "$WORK/missing" "$WORK/x.rgt"
expect_stderr "No such file"
[ ! -e "$WORK/x.rgt" ] || fail "an output without an input"
cp "$WORK/cp.rgt" "$WORK/kept_whole.rgt"
expect_exit 2 "$RIGEL" convert "$WORK/cp.rgt" "$WORK/cp.rgt"
cmp "$WORK/cp.rgt" "$WORK/kept_whole.rgt" || fail "the input was damaged"
expect_exit 1 "$RIGEL" convert --to rgt "$VSCSI" /dev/full
expect_stderr "No space left"

# A damaged input is read as far as it goes, and told.
head -c 300000 "$WORK/cp.rgt" >"$WORK/cut.rgt"
expect_exit 1 "$RIGEL" convert "$WORK/cut.rgt" "$WORK/saved.rgt"
expect_stderr "damage at byte"

# A filter that names nothing.
expect_exit 0 "$RIGEL" convert --device nothing "$WORK/hand.csv" "$WORK/none.rgt"
expect_stderr "no device is 'nothing'"
expect_value "$WORK/none.rgt" records 0

# What could not be read is missing from the copy, which says so.
printf 'queue_ns,offset_bytes,length_bytes,op\n0,0,4096,read\n5,0,x,read\n9,4096,4096,write\n' >"$WORK/mid.csv"
expect_exit 1 "$RIGEL" convert "$WORK/mid.csv" "$WORK/mid.rgt"
expect_exit 0 "$RIGEL" info --json "$WORK/mid.rgt"
expect_equal "$(jq '[.records, .lost]' -c "$OUT")" "[2,1]" "records, and those lost, of a copy of a damaged trace"
