# What the virtual LUN's tests share. Source it after the shebang; it brings tests/e2e/lib.sh.
#
#   start_lun NAME OPTIONS…   serves $WORK/NAME; waits until it can be used: $LUN the process, $DEVICE;
#                             the array is $ARRAY, or else 64 MiB of cache before 32 disks
#   poisson_reads SEED BYTES COUNT  a recording as CSV: 1,500 reads a second, each block of 8 KiB equally likely
#   lun_is_gone               fails where a mount, a loop device or the file of it is left
# shellcheck shell=bash disable=SC2034
source "$RIGEL_SOURCE/tests/e2e/lib.sh"
need_root
need_tools fio jq
[ -e /dev/fuse ] || skip "the kernel has no FUSE"

# 64 MiB of cache that answers in 0.3 ms, before disks of 8 ms.
cat >"$WORK/array.ini" <<'INI'
[array]
name = small
[cache]
size = 64M
hit_time = 300us
[disks]
count = 32
time = 8ms
INI

start_lun() {
  FILE=$WORK/$1
  shift
  : >"$WORK/lun.err"  # what the last one said is not this one's
  "$RIGEL" lun "$FILE" --array "${ARRAY:-$WORK/array.ini}" --json "$@" >"$WORK/lun.json" 2>"$WORK/lun.err" &
  LUN=$!
  keep_pid $LUN
  wait_for 20 lun_is_ready
  DEVICE=$(sed -nE 's/^rigel: (.*) is [0-9.]+ .* of [a-z0-9-]+, with .*/\1/p' "$WORK/lun.err")
}
lun_is_ready() {
  kill -0 "$LUN" 2>/dev/null || fail "the LUN has ended: $(cat "$WORK/lun.err")"
  grep -qE ' of [a-z0-9-]+, with ' "$WORK/lun.err"
}

poisson_reads() {
  python3 - "$@" <<'PYTHON'
import random, sys
seed, size, count = map(int, sys.argv[1:])
random.seed(seed)
print("queue_ns,offset_bytes,length_bytes,op")
at = 0.0
for _ in range(count):
    at += random.expovariate(1.5e-6)
    print(f"{at:.0f},{random.randrange(size // 8192) * 8192},8192,read")
PYTHON
}

nothing_is_left() {
  ! grep -qF " $FILE " /proc/self/mountinfo && [ ! -e "$FILE" ] &&
    [ -z "$(losetup -lnO BACK-FILE | grep -F "$FILE")" ]
}
lun_is_gone() { wait_for 10 nothing_is_left; }

# reads DEPTH SECONDS [OPTIONS…]: random reads of $DEVICE; fio's JSON on standard output.
reads() {
  local depth=$1 seconds=$2
  shift 2
  fio --name=load --filename="$DEVICE" --direct=1 --rw=randread --bs=8k --ioengine=libaio --iodepth="$depth" \
    --time_based --runtime="$seconds" --output-format=json --allow_file_create=0 "$@"
}
