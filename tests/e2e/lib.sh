# What the end-to-end tests share: devices of their own, made and taken away again whatever happens
# (packaging/leftovers.sh says how). Source it; it brings all of tests/cli/lib.sh too.
#
#   loop_device NAME SIZE [OPTIONS…]   loop over a file in memory; the device's path in $DEVICE
#   loop_on_disk NAME SIZE [OPTIONS…]  loop over a file on the disk
#   zram_device SIZE                   a zram device of its own; its path in $DEVICE
#   mount_fs DEVICE TYPE               makes a filesystem and mounts it; the place in $MOUNT
#   keep_pid PID                       a process to be ended at exit
# shellcheck shell=bash
RIGEL_SOURCE=${RIGEL_SOURCE:-$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")}
# shellcheck source=tests/cli/lib.sh
source "$RIGEL_SOURCE/tests/cli/lib.sh"

need_root
MEMORY=$(make_scratch e2e /dev/shm)
DEVICE=
MOUNT=
PIDS=()

clean_up() {
  local pid
  for pid in "${PIDS[@]}"; do
    { kill "$pid" && kill -CONT "$pid" && wait "$pid"; } 2>/dev/null || true
  done
  # Mounts lie in $WORK, what they are mounted from may lie in $MEMORY: in this order.
  release_scratch "$WORK"
  release_scratch "$MEMORY"
}
trap clean_up EXIT
sweep_scratch

need_tools() {
  local tool
  for tool in "$@"; do command -v "$tool" >/dev/null || skip "needs $tool"; done
}

attach_loop() {
  local file=$1 size=$2
  shift 2
  truncate -s "$size" "$file"
  DEVICE=$(losetup --find --show "$@" "$file")
}

loop_device() {
  local name=$1
  shift
  attach_loop "$MEMORY/$name" "$@"
}

loop_on_disk() {
  local name=$1
  shift
  attach_loop "$WORK/$name" "$@"
}

zram_device() {
  local name
  [ -e /sys/class/zram-control/hot_add ] || modprobe zram 2>/dev/null || skip "the kernel has no zram"
  name=zram$(cat /sys/class/zram-control/hot_add)
  echo "$name $(cat "/sys/block/$name/diskseq")" >>"$WORK/zram"
  echo "$1" >"/sys/block/$name/disksize"
  DEVICE=/dev/$name
}

mount_fs() {
  local device=$1 type=$2
  "mkfs.$type" -q "$device"
  MOUNT=$WORK/mount-$(basename "$device")
  mkdir -p "$MOUNT"
  mount "$device" "$MOUNT"
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
