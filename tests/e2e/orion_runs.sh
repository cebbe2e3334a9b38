#!/usr/bin/env bash
# rigel orion on real devices: every kind of run on its whole ladder, in seconds a point instead of
# minutes; what it reads and writes by the kernel's own count; Little's law at each point.
source "$RIGEL_SOURCE/tests/e2e/lib.sh"
need_root
need_tools jq
cd "$WORK"

# lun NAME: a device of its own with data in it, named in NAME.lun.
lun() {
  loop_device "$1.img" 32M
  dd if=/dev/urandom of="$DEVICE" bs=1M count=32 oflag=direct status=none
  echo "$DEVICE" >"$1.lun"
}
requests() { awk -v field="$2" '{print $field}' "/sys/class/block/$(basename "$(cat "$1.lun")")/stat"; }
READS=1 WRITES=7  # in sectors of 512 bytes: the block layer may merge neighbours

# run NAME OPTIONS…: in the background, so that the ladders climb side by side.
declare -A RUNS FILLED
run() {
  local name=$1
  shift
  lun "$name"
  FILLED[$name]=$(requests "$name" "$WRITES")
  "$RIGEL" orion -testname "$name" -num_disks 1 -duration 1 --json "$@" >"$name.json" 2>"$name.err" &
  RUNS[$name]=$!
  keep_pid $!
}
run simple -run simple
run normal -run normal
run oltp -run oltp
run dss -run dss
run streams -run advanced -matrix point -num_small 0 -num_large 4 -type seq -num_streamIO 2 -cache_size 0 -verbose
run copies -run advanced -matrix point -num_small 0 -num_large 4 -type seq -num_streamIO 2 -cache_size 0 -write 50 --record copies.rgt
run writes -run advanced -matrix point -num_small 4 -num_large 0 -write 50 --record writes.rgt
for name in "${!RUNS[@]}"; do
  wait "${RUNS[$name]}" || fail "-run $name failed: $(cat "$name.err")"
done

# The ladders: small up to 5 (oltp: 20), large up to 2 for each disk, and normal every pair of them.
points() { jq -c "[.points[] | $2] | unique | sort" "$1.json"; }
expect_equal "$(points simple '[.outstanding, .outstanding_large]')" \
  "[[0,1],[0,2],[1,0],[2,0],[3,0],[4,0],[5,0]]" "points of simple"
expect_equal "$(jq '.points | length' normal.json)" 17 "points of normal"
expect_equal "$(points oltp .outstanding)" "[$(seq -s, 1 20)]" "points of oltp"
expect_equal "$(points dss .outstanding | tr -d '[]')" 0 "small I/Os of dss"
for name in "${!RUNS[@]}"; do
  # As many as asked for are under way, but for the time that the host takes to issue the next: never
  # more; fewer by what a busy host makes of it, of which the median is taken.
  jq -e --arg name "$name" '[.points[]
          | (if $name == "streams" or $name == "copies" then .outstanding_large * 2 else .outstanding + .outstanding_large end) as $load
          | select(.outstanding == 0 or .outstanding_large == 0) | .iops * .latency_ns / 1e9 / $load]
          | sort | max <= 1.001 and .[length / 2 | floor] >= 0.9' "$name.json" >/dev/null ||
    fail "Little's law does not hold for $name: $(jq -c .points "$name.json")"
  [ "$(requests "$name" "$READS")" -gt 100 ] || fail "-run $name read nothing"
done
for name in simple normal oltp dss streams; do
  expect_equal "$(requests "$name" "$WRITES")" "${FILLED[$name]}" "writes of $name, all of them before it"
done

# Half of the I/Os wrote: within five standard deviations of a fair coin; the kernel counted as many.
expect_exit 0 "$RIGEL" info --json writes.rgt
written=$(jq .writes "$OUT") all=$(jq .records "$OUT")
[ $(((2 * written - all) * (2 * written - all))) -le $((25 * all)) ] || fail "$written writes of $all I/Os are not half"
expect_equal "$(($(requests writes "$WRITES") - FILLED[writes]))" "$((16 * written))" "sectors of 8 KiB writes that the kernel counted"

# Of four streams two write, whichever threads have them, and every I/O is in the recording.
expect_exit 0 "$RIGEL" info --json copies.rgt
written=$(jq .writes "$OUT")
expect_equal "$(($(requests copies "$WRITES") - FILLED[copies]))" "$((2048 * written))" "sectors of 1 MiB writes that the kernel counted"

# The guard is the replayer's: a filesystem, or somebody's device, is not written.
loop_device held.img 64M
mkfs.xfs -q -f "$DEVICE" 2>/dev/null || mkfs.ext4 -q "$DEVICE"
echo "$DEVICE" >held.lun
before=$(sha256sum <"$DEVICE")
expect_exit 1 "$RIGEL" orion -run advanced -testname held -matrix point -num_small 1 -num_large 0 -duration 1 -write 50
expect_stderr "$DEVICE"
expect_equal "$(sha256sum <"$DEVICE")" "$before" "the filesystem"
