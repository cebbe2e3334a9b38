#!/usr/bin/env bash
# rigel info: the figures of a real trace that are known from elsewhere, and of one made by hand.
source "$(dirname "$0")/lib.sh"

[ -r "$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi" ] || fail "no real traces in '$RIGEL_TEST_DATA'"

# 269,210 pages of 4 KiB: reference/README.md of the test data.
expect_exit 0 "$RIGEL" info --json "$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi"
[ "$(sed -n 2p "$OUT")" = '  "schema": 1,' ] || fail "the schema does not come first"
expect_stdout '  "records": 113872,'
expect_stdout '  "reads": 46974,'
expect_stdout '  "writes": 66898,'
expect_stdout "  \"footprint_bytes\": $((269210 * 4096)),"
expect_stdout '  "lost": 0,'

expect_exit 0 "$RIGEL" info "$RIGEL_TEST_DATA/traces/cloudPhysicsIO.vscsi"
expect_stdout "113,872"
[ "$(awk '{ print length }' "$OUT" | sort -n | tail -1)" -le 120 ] || fail "lines are too long"

# MSR: time in 100 ns, host, disk, op, offset, bytes, latency in 100 ns (1 ms and 3 ms).
cat >"$WORK/hand.csv" <<'CSV'
128166372000000000,db,0,Read,0,8192,10000
128166372010000000,db,0,Read,8192,8192,10000
128166372020000000,db,0,Read,0,8192,30000
128166372030000000,db,1,Write,65536,4096,30000
CSV
expect_exit 0 "$RIGEL" info --json "$WORK/hand.csv"
expect_stdout '  "records": 4,'
expect_stdout '  "read_bytes": 24576,'
expect_stdout '  "write_bytes": 4096,'
expect_stdout '  "duration_ns": 3003000000,'
expect_stdout '  "peak_second_iops": 1,'
expect_stdout '  "footprint_bytes": 20480,'
expect_exit 0 "$RIGEL" info --json --op write --page 64k "$WORK/hand.csv"
expect_stdout '  "records": 1,'
expect_stdout '  "footprint_bytes": 65536,'

# What damage costs is lost too, and where it is stands in both outputs: a byte in the middle of a
# block of 128, and a file without its last blocks.
GOOD=$RIGEL_SOURCE/tests/data/busy-v1.rgt
cp "$GOOD" "$WORK/flipped.rgt"
printf '\377\377\377\377' | dd of="$WORK/flipped.rgt" bs=1 seek=8000 conv=notrunc status=none
expect_exit 0 "$RIGEL" info --json "$WORK/flipped.rgt"
expect_stdout '  "lost": 140,'
expect_stdout '  "lost_in_recording": 12,'
expect_stdout '  "lost_in_damage": 128,'
expect_stdout '  "lost_at_least": false,'
expect_exit 0 "$RIGEL" info "$WORK/flipped.rgt"
expect_stdout "140 I/Os (13.8 %): 12 in recording, 128 in damage"
expect_stdout "checksum of a block's content does not match"
head -c 5000 "$GOOD" >"$WORK/cut.rgt"
expect_exit 0 "$RIGEL" info --json "$WORK/cut.rgt"
expect_stdout '  "records": 128,'
expect_stdout "bytes before the end of a block"

# One table, one unit: 24 KiB read in 3.003 s, as iostat -m has its MB/s.
expect_exit 0 "$RIGEL" info "$WORK/hand.csv"
grep -qE '^  read +3 +75.0 % +24 KiB +0.01 MiB/s' "$OUT" || fail "the table of operations"
! grep -q 'MB/s' "$OUT" || fail "two units for rates"

expect_exit 2 "$RIGEL" info
expect_exit 2 "$RIGEL" info --page 100 "$WORK/hand.csv"
expect_exit 1 "$RIGEL" info "$WORK"
expect_exit 1 "$RIGEL" info /dev/null
for output in --json ""; do
  # shellcheck disable=SC2086  # no option rather than an empty one
  expect_exit 1 bash -c '"$0" info $2 "$1" >/dev/full' "$RIGEL" "$WORK/hand.csv" "$output"
  expect_stderr "standard output: No space left on device"
done

# What a trace does not say is absent, not 0.
printf 'time_us,offset_bytes\n100,4096\n200,8192\n' >"$WORK/places.csv"
printf '# rigel csv 1\nqueue_ns,length_bytes,op\n100,4096,write\n200,8192,write\n' >"$WORK/lengths.csv"
expect_exit 0 "$RIGEL" info --json "$WORK/places.csv"
for key in reads writes read_bytes bytes_per_second sizes sequential_ratio footprint_bytes read_reuse; do
  ! grep -q "\"$key\":" "$OUT" || { cat "$OUT"; fail "$key of a trace without operations and lengths"; }
done
expect_stdout '"iops": 20000.0'
expect_stdout '"heat_map"'
expect_exit 0 "$RIGEL" info --json "$WORK/lengths.csv"
for key in footprint_bytes write_reuse sequential_ratio heat_map; do
  ! grep -q "\"$key\":" "$OUT" || { cat "$OUT"; fail "$key of a trace without offsets"; }
done
expect_stdout '"write_bytes": 12288,'
for name in places lengths; do
  expect_exit 0 "$RIGEL" info "$WORK/$name.csv"
  ! grep -qE ' 0 B[ ,]|0\.0 % seq|addresses of .* 0 I/Os' "$OUT" || { cat "$OUT"; fail "zeros for what is not known"; }
  expect_stdout "not known"
done
