#!/usr/bin/env bash
# --plot and --svg of the five commands that have them: the right figures on the axes, the shape that is
# known beforehand, braille where the terminal has it, and what is refused.
source "$(dirname "$0")/lib.sh"

SAMPLE=$RIGEL_SOURCE/traces/samples/postgresql.rgt
cd "$WORK" || exit 1
export LC_ALL=C

# A straight line: reads of one page each, so that the plot of ten equal intervals is flat, at the top.
for i in $(seq 0 999); do echo "$((i * 1000)),$((i % 7 * 4096)),4096,read"; done |
  cat <(echo time_us,offset_bytes,length_bytes,op) - >even.csv
expect_exit 0 "$RIGEL" info even.csv --plot
expect_stdout "load: IOPS over time"
plot=$(sed -n '/^load: /,$p' "$OUT")
[ "$(grep -c '|' <<<"$plot")" = 16 ] || { echo "$plot"; fail "not 16 rows"; }
[ "$(grep -o '\*' <<<"$plot" | wc -l)" -ge 72 ] || { echo "$plot"; fail "the line has gaps"; }
! grep -q '[^ -~]' <<<"$plot" || { echo "$plot"; fail "no plain text in the C locale"; }
LC_ALL=C.UTF-8 expect_exit 0 "$RIGEL" info even.csv --plot
LC_ALL=C.UTF-8 grep -q "⠉\|⠒\|⣀\|⠤\|⡇\|⢸" "$OUT" || { cat "$OUT"; fail "no braille"; }

# A hit ratio never falls with the size: the line rises from the left bottom to the right.
expect_exit 0 "$RIGEL" model "$SAMPLE" --cache 8M,64M --policy lru,arc --plot --svg curve.svg
expect_stdout "hits: hit ratio by page over size of the cache"
expect_stdout "x lru, as asked, o arc"
python3 - curve.svg <<'PYTHON'
import re, sys
import xml.dom.minidom as dom
lines = dom.parse(sys.argv[1]).getElementsByTagName("polyline")
points = [tuple(map(float, p.split(","))) for p in lines[0].getAttribute("points").split()]
assert len(points) > 50, len(points)
assert all(a[0] <= b[0] and a[1] >= b[1] for a, b in zip(points, points[1:])), "hits fall"
assert 79 < points[0][0] < 81 and 699 < points[-1][0] < 701, "the curve does not fill the axis"
PYTHON
# The sizes that were asked for are marks, each on the curve, and no text runs out of the picture.
python3 - curve.svg <<'PYTHON'
import sys
import xml.dom.minidom as dom
picture = dom.parse(sys.argv[1])
line, = picture.getElementsByTagName("polyline")
points = [tuple(map(float, p.split(","))) for p in line.getAttribute("points").split()]
marks = [(float(c.getAttribute("cx")), float(c.getAttribute("cy")), c.getAttribute("fill"))
         for c in picture.getElementsByTagName("circle")]
assert len(marks) == 4, marks
for x, y, colour in marks:
    if colour == marks[0][2]:
        near = min(points, key=lambda p: abs(p[0] - x))
        assert abs(near[0] - x) < 8 and abs(near[1] - y) < 8, (x, y, near)
for text in picture.getElementsByTagName("text"):
    x, words = float(text.getAttribute("x")), text.firstChild.data
    width = 6.5 * len(words)
    right = x + {"": width, "middle": width / 2, "end": 0}[text.getAttribute("text-anchor")]
    assert right <= 720, (words, right)
PYTHON

expect_exit 0 "$RIGEL" simulate uniform --array disks32-96g --ios 2000 -n 1,32,160 --plot
expect_stdout "response time: mean over IOPS"
expect_exit 0 "$RIGEL" explain "$RIGEL_TEST_DATA/orion/seed-3tb.txt" --disks 32 --cache 96G --span 3T --plot
grep -q 'implied, x expected' "$OUT" || { cat "$OUT"; fail "no legend"; }
head -c 1M /dev/urandom >disk
code=0
"$RIGEL" replay even.csv --target disk --speed 10 --plot >"$OUT" 2>"$ERR" || code=$?
[ $code = 0 ] || [ $code = 3 ] || { cat "$ERR"; fail "replay ended with $code"; }
expect_stdout "replay: time over percentile"
# Each percentile has its label, at even distances: the marks of slip stand over theirs.
labels=$(grep '^ *p50 .* max$' "$OUT") || { cat "$OUT"; fail "no line of percentiles"; }
python3 - "$labels" <<'PYTHON'
import re, sys
middles = [(m.start() + m.end() - 1) / 2 for m in re.finditer(r"\S+", sys.argv[1])]
assert re.findall(r"\S+", sys.argv[1]) == ["p50", "p90", "p99", "p99.9", "p99.99", "max"], sys.argv[1]
for i in range(1, 5):
    assert abs(middles[i] - (14 + 71 * i / 5)) <= 1, middles
PYTHON

# With --json the chart goes to the file alone.
expect_exit 0 "$RIGEL" info even.csv --json --svg info.svg
python3 -c "import json; json.load(open('$OUT'))" || fail "--svg disturbs --json"
grep -q '</svg>' info.svg || fail "no picture"
expect_exit 2 "$RIGEL" info even.csv --json --plot
expect_stderr "exclude each other"
expect_exit 1 "$RIGEL" info even.csv --svg /no/such/folder/x.svg
expect_stderr "/no/such/folder/x.svg"
expect_exit 2 "$RIGEL" replay even.csv --target disk --dry-run --plot
printf 'offset_bytes,length_bytes,op\n0,4096,read\n' >timeless.csv
expect_exit 0 "$RIGEL" info timeless.csv --plot
expect_stdout "nothing to draw"
