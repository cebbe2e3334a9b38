# What the end-to-end tests share: devices of their own, made and taken away again whatever happens.
# Source it, after the shebang; $RIGEL is the program under test.
#
#   loop_device NAME SIZE [OPTIONS…]   loop over a file in tmpfs; the device's path in $DEVICE
#   loop_on_disk NAME SIZE [OPTIONS…]  loop over a file on the disk
#   zram_device SIZE                   a zram device of its own; its path in $DEVICE
#   mount_fs DEVICE TYPE               makes a filesystem and mounts it; the place in $MOUNT
#   keep_pid PID                       a process to be ended at exit
#
# Everything bears the name rigel-e2e-PID-…, so that the next run can sweep up after one that was
# killed: what belongs to a process that is alive is left alone.
# shellcheck shell=bash
set -euo pipefail

WORK=$(mktemp -d "${TMPDIR:-/tmp}/rigel-e2e-$$-XXXXXX")
TMPFS=/dev/shm
OUT=$WORK/stdout
ERR=$WORK/stderr
DEVICE=
MOUNT=
LOOPS=()
ZRAMS=()
MOUNTS=()
PIDS=()

fail() { echo "FAILED: $*" >&2; exit 1; }
skip() { echo "SKIPPED: $*"; exit 77; }

# unmount_all DEVICE: whatever is mounted from it.
unmount_all() {
  while read -r place; do umount "$place" || umount -l "$place"; done \
    < <(awk -v device="$1" '$1 == device {print $2}' /proc/mounts)
}

release_zram() {
  unmount_all "/dev/zram$1"
  echo 1 >"/sys/block/zram$1/reset" && echo "$1" >/sys/class/zram-control/hot_remove
}

clean_up() {
  local code=$?
  set +e
  local i
  for ((i = ${#PIDS[@]} - 1; i >= 0; --i)); do
    kill "${PIDS[i]}" 2>/dev/null && { kill -CONT "${PIDS[i]}"; wait "${PIDS[i]}"; } 2>/dev/null
  done
  for ((i = ${#MOUNTS[@]} - 1; i >= 0; --i)); do umount "${MOUNTS[i]}" || umount -l "${MOUNTS[i]}"; done
  for device in "${LOOPS[@]}"; do losetup -d "$device"; done
  for number in "${ZRAMS[@]}"; do release_zram "$number"; done
  rm -rf "$WORK" "$TMPFS/rigel-e2e-$$-"*
  exit $code
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# What tests that were killed have left: found by the process number in the name.
sweep_stale() {
  local device backing pid number sequence place
  while read -r device backing; do
    [[ $backing =~ rigel-e2e-([0-9]+)- ]] || continue
    pid=${BASH_REMATCH[1]}
    [ -d "/proc/$pid" ] && continue
    unmount_all "$device"
    losetup -d "$device" || true
  done < <(losetup --list --noheadings --output NAME,BACK-FILE)
  for place in "$TMPFS"/rigel-e2e-* "${TMPDIR:-/tmp}"/rigel-e2e-*; do
    [[ $place =~ rigel-e2e-([0-9]+)- ]] || continue
    [ -d "/proc/${BASH_REMATCH[1]}" ] && continue
    if [ -f "$place/zram" ]; then
      while read -r number sequence; do
        # The number may be another's by now; the disk's sequence number never is.
        [ "$(cat "/sys/block/zram$number/diskseq" 2>/dev/null)" = "$sequence" ] || continue
        release_zram "$number" || true
      done <"$place/zram"
    fi
    rm -rf "$place"
  done
}
[ "$(id -u)" = 0 ] && sweep_stale

need_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }
need_tools() {
  local tool
  for tool in "$@"; do command -v "$tool" >/dev/null || skip "needs $tool"; done
}

attach_loop() {
  local file=$1 size=$2
  shift 2
  truncate -s "$size" "$file"
  DEVICE=$(losetup --find --show "$@" "$file")
  LOOPS+=("$DEVICE")
}

loop_device() {
  local name=$1
  shift
  attach_loop "$TMPFS/rigel-e2e-$$-$name" "$@"
}

loop_on_disk() {
  local name=$1
  shift
  attach_loop "$WORK/$name" "$@"
}

zram_device() {
  local number
  [ -e /sys/class/zram-control/hot_add ] || modprobe zram 2>/dev/null || skip "the kernel has no zram"
  number=$(cat /sys/class/zram-control/hot_add)
  echo "$number $(cat "/sys/block/zram$number/diskseq")" >>"$WORK/zram"
  ZRAMS+=("$number")
  echo "$1" >"/sys/block/zram$number/disksize"
  DEVICE=/dev/zram$number
}

mount_fs() {
  local device=$1 type=$2
  "mkfs.$type" -q "$device"
  MOUNT=$WORK/mount-$(basename "$device")
  mkdir -p "$MOUNT"
  mount "$device" "$MOUNT"
  MOUNTS+=("$MOUNT")
}

keep_pid() { PIDS+=("$1"); }

# wait_for SECONDS COMMAND…: until the command succeeds; fails when it never does.
wait_for() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || fail "waited in vain for: $*"
    sleep 0.05
  done
}

# expect_exit CODE COMMAND…: leaves its output in $OUT and $ERR.
expect_exit() {
  local wanted=$1 code=0
  shift
  "$@" >"$OUT" 2>"$ERR" </dev/null || code=$?
  [ "$code" -eq "$wanted" ] || { cat "$OUT" "$ERR" >&2; fail "exit $code, not $wanted: $*"; }
}
expect_stdout() { grep -qF -- "$1" "$OUT" || { cat "$OUT" >&2; fail "no '$1' on standard output"; }; }
expect_stderr() { grep -qF -- "$1" "$ERR" || { cat "$ERR" >&2; fail "no '$1' on standard error"; }; }
expect_equal() { [ "$1" = "$2" ] || fail "${3:-value} is $1, not $2"; }
