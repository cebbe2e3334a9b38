#!/usr/bin/env bash
# Every command's --json is as results.schema.json says, and holds nothing that it does not name.
source "$RIGEL_SOURCE/tests/e2e/lib.sh"

# Debian's own Python: the module that the test needs is a package of Debian's.
python=/usr/bin/python3
"$python" -c 'import jsonschema' 2>/dev/null || skip "needs python3-jsonschema"
[ -e /dev/fuse ] || skip "the kernel has no FUSE"
need_root
data=$RIGEL_TEST_DATA
[ -d "$data/orion" ] || fail "there is no $data/orion"
sample=$RIGEL_SOURCE/traces/samples/postgresql.rgt
cd "$WORK"

# result NAME DEFINITION COMMAND…: its standard output is such a result.
result() {
  local name=$1 definition=$2 code=0
  shift 2
  "$RIGEL" "$@" --json >"$name.$definition.json" 2>"$ERR" </dev/null || code=$?
  # 1: what is read is damaged; 3: done, and the answer is no.
  [[ $code == [013] ]] && [ -s "$name.$definition.json" ] || { cat "$ERR" >&2; fail "exit $code: $*"; }
}

head -c 300000 "$sample" >cut.rgt
printf 'offset_bytes,length_bytes,op\n0,4096,read\n8192,4096,write\n' >no-times.csv
head -c 16M /dev/urandom >lun.img
echo "$WORK/lun.img" >t.lun
mkdir arrays
for disks in 2 8; do
  printf '[array]\nname = d%s\n[cache]\nsize = 4M\nhit_time = 200us\n[disks]\ncount = %s\ntime = 5ms\n[cost]\ndisk = 300\n' \
    $disks $disks >arrays/d$disks.ini
done

result all array_list array list
result one array array show disks32-96g
result whole check check "$sample"
result cut check check cut.rgt
result whole info info "$sample"
result cut info info cut.rgt
result timeless info info no-times.csv
result plain model model "$sample" --cache 8M,32M --policy lru,arc
result sampled model model "$sample" --cache 8M --shards 0.05 --exact-below 1M
result roles model model "$sample" --cache 8M --by role --window 1s
result devices model model "$sample" --cache 8M --by device --write back
result nothing model model "$sample" --cache 8M --warm-up 100000 --share 0.5
result uniform closed_form model --cache 4G --uniform 16G --iops 1000
result zipf closed_form model --cache 4G --zipf 1 --span 4G
result pattern simulate simulate uniform --array arrays/d2.ini --span 1G -n 1,8 --ios 1000
result theory simulate simulate uniform --array arrays/d2.ini --span 1G -n 1,8 --analytic
result trace simulate simulate "$sample" --array disks32-96g
result point orion orion -run advanced -testname t -matrix point -num_small 2 -num_large 1 -num_disks 1 -duration 1 --cache 4M
result curve explain explain "$data/orion/seed-3tb.txt" --disks 32 --cache 96G --span 3T
result curve fit fit "$data/orion/seed-3tb.txt" --up-to 128 --miss-time 8ms
result disk disk_fit fit --disk "$data/traces/disksim_hp_c2490a.trace"
result grown plan plan "$data/traces/disksim_cheetah9LP.trace" --arrays arrays --target 'p99<40ms' --grow 1x,16x --growth-a-year 100%
replay=(replay "$sample" --target lun.img --fit wrap --align)
result quick replay "${replay[@]}" --speed 16
result ramp replay "${replay[@]}" --iops-ramp 1000:2000:1000 --level-duration 200ms
result verified replay "${replay[@]}" --flat-out --write --destroy-data lun.img --verify
result none replay "${replay[@]}" --op discard
result dry replay_plan "${replay[@]}" --dry-run
result traces compare compare "$sample" "$data/traces/disksim_cheetah9LP.trace"
result results compare compare "$data/orion/seed-3tb.txt" "$data/orion/seed-512g.txt"
# Reads of which six in ten take 0.3 ms and the others 8 ms, more or less.
hits_and_misses >hits.csv
"$RIGEL" model hits.csv --cache 32M --json >prediction.json
result predicted compare compare hits.csv --predicted prediction.json
result border compare compare hits.csv --predicted prediction.json --hit-below 1ms
result damaged compare compare cut.rgt --predicted prediction.json --hit-below 1ms
result halves compare compare "$sample" cut.rgt --predicted prediction.json --hit-below 1ms
result replayed compare compare quick.replay.json --predicted prediction.json --hit-below 1ms
jq '.lost_at_least = true' prediction.json >lossy.json
result lossy compare compare hits.csv --predicted lossy.json
jq -n '{"fio version": "3", jobs: [{error: 5, read: {total_ios: 9, iops: 9, bw_bytes: 9, clat_ns: {mean: 9}}}]}' >fio.txt
result fio compare compare fio.txt quick.replay.json
rm prediction.json lossy.json
result idle lun lun "$WORK/lun" --array arrays/d2.ini --size 1G --duration 200ms

"$RIGEL" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | while read -r command; do
  if "$RIGEL" "$command" --help | grep -E '^ +--json( |$)' >"$OUT"; then echo "$command"; fi
done >commands
[ "$(wc -l <commands)" -ge 11 ] || fail "hardly any command has --json"
"$python" "$RIGEL_SOURCE/tests/e2e/results_schema.py" "$RIGEL_SOURCE/report/results.schema.json" commands ./*.json
