#!/usr/bin/env bash
# The page of a report in a real browser: every chart is drawn, answers to mouse and keyboard, fits a phone
# and paper, turns dark, asks the network for nothing, and complains of nothing.
source "$RIGEL_SOURCE/tests/e2e/lib.sh"

# Debian's own Python: the modules that the test needs are packages of Debian's.
python=/usr/bin/python3
need_tools chromium pdftotext
"$python" -c 'import websocket' 2>/dev/null || skip "needs python3-websocket"
orion=$RIGEL_TEST_DATA/orion
[ -d "$orion" ] || fail "there is no $orion"
sample=$RIGEL_SOURCE/traces/samples/postgresql.rgt

cd "$WORK"
"$RIGEL" model "$sample" --cache 8M,32M,64M --shards 0.05 --exact-below 1M --json >model.json
"$RIGEL" simulate uniform --array disks32-96g --span 3T -n 1,2,4,8,16,32,64,96,128,160 --analytic --json >simulate.json
"$RIGEL" explain "$orion/seed-3tb.txt" --disks 32 --cache 96G --span 3T --json >explain.json
head -c 64M /dev/urandom >lun.img
echo "$WORK/lun.img" >t.lun
"$RIGEL" orion -run advanced -testname t -matrix col -num_small 3 -num_large 0 -num_disks 1 -duration 1 --json >orion.json 2>orion.log ||
  { cat orion.log >&2; fail "orion"; }
code=0
"$RIGEL" replay "$sample" --target lun.img --fit wrap --align --speed 8 --json >replay.json 2>replay.log || code=$?
[ $code -eq 0 ] || [ $code -eq 3 ] || { cat replay.log >&2; fail "replay: exit $code"; }

# Reads of which six in ten take 0.3 ms and the others 8 ms, more or less, and a model that says less.
hits_and_misses >hits.csv
"$RIGEL" model hits.csv --cache 32M --json >prediction.json
"$RIGEL" compare hits.csv --predicted prediction.json --json >compare.json

# A plan, of which one candidate cannot be, and a curve that does not tell all of its array.
cat >raid.ini <<'INI'
[array]
name = raid
[raid]
level = 10
[disks]
count = 4
INI
code=0
"$RIGEL" plan "$sample" -a nvme8 -a raid.ini --disks 3,32 --cache 64M,1G -t 'p99(read)<20ms' -t 'hit>5%' --grow 1x,2x \
  --growth-a-year 40% --json >plan.json || code=$?
[ $code -eq 0 ] || [ $code -eq 3 ] || fail "plan: exit $code"
"$RIGEL" fit "$orion/seed-3tb.txt" --up-to 128 --json >fit.json
"$RIGEL" compare "$orion/seed-3tb.txt" "$orion/seed-512g.txt" --json >results.json
# Forty devices, of which the page names 32, and a name as long as people make them.
long=$(printf 'a-name-as-long-as-people-make-them-%.0s' 1 2 3)
{ echo time_us,offset_bytes,length_bytes,op,device
  for i in $(seq 40); do echo "$((i * 100000)),0,4096,read,disk$i"; done; } >forty.csv
cp simulate.json "$long.json"

# A recording of which a third cannot be read.
python3 - "$sample" damaged.rgt <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
third = len(data) // 3
data[third:2 * third] = bytes(third)
open(sys.argv[2], "wb").write(data)
PYTHON

"$RIGEL" compare damaged.rgt damaged.rgt --json >untold.json 2>/dev/null

# A process whose name is an attack, in a trace of its own.
cat >"hostile <b>.csv" <<'CSV'
queue_ns,complete_ns,op,offset_bytes,length_bytes,device,comm
0,1000000,read,0,8192,</script><script>document.title='owned'</script>,<img src=x onerror=alert(2)>
5000000,9000000,write,8192,8192,sda,"</script><script>alert(1)</script>"
CSV
"$RIGEL" report "$sample" model.json simulate.json explain.json orion.json replay.json compare.json plan.json fit.json results.json untold.json forty.csv damaged.rgt "$long.json" "$orion/seed-3tb.txt" \
  "$orion/seed-512g.txt" "$orion"/{iops,lat,mbps}-11.1.csv "hostile <b>.csv" --title 'All <of> it' -o page.html
"$python" "$RIGEL_SOURCE/tests/e2e/report_page.py" "$WORK" "$WORK/page.html"
pdftotext page.pdf - >page.txt
# A short table's figures are on paper, and the model's own.
hits=$(jq -r '.results[] | select(.cache_bytes == 67108864) | .hit_ratio * 100 | floor' model.json)
for words in '41.3 ms' 'All <of> it' '55,932 I/Os in 8.13 s' 'The replay was' "A cache of 64 MiB hits $hits."; do
  grep -qF "$words" page.txt || { cat page.txt >&2; fail "no '$words' on paper"; }
done
