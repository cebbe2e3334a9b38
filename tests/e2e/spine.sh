#!/usr/bin/env bash
# The main job from end to end: a public trace is converted and its hit ratios predicted; a load is
# recorded, its reads are replayed on another device, and the recording of the replay holds the same
# I/O, each once.
source "$RIGEL_SOURCE/tests/e2e/lib.sh"
need_root
need_tools fio jq

# The hit ratios that independent programs found for this trace, in pages of 4 KiB.
trace=$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi
reference=$RIGEL_TEST_DATA/reference/hit-ratios.csv
[ -r "$trace" ] && [ -r "$reference" ] || fail "no $trace or no $reference: is RIGEL_TEST_DATA right?"
expect_exit 0 "$RIGEL" convert "$trace" "$WORK/cp.rgt"
awk -F, '$1 == "cloudPhysicsIO@4k" && $2 == "lru" { print $3, $4 }' "$reference" >"$WORK/wanted"
[ "$(wc -l <"$WORK/wanted")" -ge 3 ] || fail "no reference values in $reference"
while read -r pages hit_ratio; do
  expect_exit 0 "$RIGEL" model "$WORK/cp.rgt" --page 4k --cache $((pages * 4096)) --json
  jq -e --argjson wanted "$hit_ratio" '.results[0].hit_ratio - $wanted | fabs <= 0.0005' "$OUT" \
    >/dev/null || fail "hit ratio of $pages pages: $(jq .results[0].hit_ratio "$OUT"), not $hit_ratio"
done <"$WORK/wanted"

# sorted_reads TRACE: offset and length of every read, without the times.
sorted_reads() {
  "$RIGEL" convert --op read "$1" "$WORK/rows.jsonl"
  jq -r 'select(.op == "read") | "\(.offset_bytes) \(.length_bytes)"' "$WORK/rows.jsonl" | sort
}

loop_device source 64M
source_device=$DEVICE
expect_exit 0 "$RIGEL" capture -d "$source_device" -o "$WORK/load.rgt" -- fio --name=load \
  --filename="$source_device" --direct=1 --rw=randrw --rwmixread=70 --bsrange=4k-64k --ioengine=libaio \
  --iodepth=8 --number_ios=5003 --size=64M --io_size=8G --norandommap --output="$WORK/fio.out"
expect_exit 0 "$RIGEL" info --json "$WORK/load.rgt"
expect_equal "$(jq '[.streams[] | select(.comm == "fio") | .records] | add' "$OUT")" 5003 "I/Os of fio"
expect_equal "$(jq .lost "$OUT")" 0 "I/Os lost"
reads=$(jq .reads "$OUT")

loop_device target 64M
expect_exit 0 "$RIGEL" capture -d "$DEVICE" -o "$WORK/replay.rgt" -- \
  "$RIGEL" replay "$WORK/load.rgt" --flat-out --depth 8 --target "$DEVICE" --json
expect_equal "$(jq .issued "$OUT")" "$reads" "reads issued"
sorted_reads "$WORK/load.rgt" >"$WORK/recorded"
"$RIGEL" info --json "$WORK/replay.rgt" | jq -e '.writes == 0 and .lost == 0' >/dev/null ||
  fail "the replay of reads wrote, or its recording lost something"
sorted_reads "$WORK/replay.rgt" >"$WORK/replayed"
cmp "$WORK/recorded" "$WORK/replayed" || fail "the replay issued other reads than were recorded"

# Through the page cache the device is asked once for each page, however often it is read.
blockdev --setra 0 --flushbufs "$DEVICE"
read -ra before <"/sys/block/$(basename "$DEVICE")/stat"
expect_exit 0 "$RIGEL" replay "$WORK/load.rgt" --flat-out --buffered --target "$DEVICE" --json
read -ra after <"/sys/block/$(basename "$DEVICE")/stat"
"$RIGEL" convert --op read "$WORK/load.rgt" "$WORK/reads.rgt"
distinct=$("$RIGEL" model "$WORK/reads.rgt" --cache 64M --page 4k --json | jq .distinct_pages)
expect_equal $(((after[2] - before[2]) / 8)) "$distinct" "pages of 4 KiB read from the device"
