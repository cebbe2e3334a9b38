# What the end-to-end tests share: devices of their own, made and taken away again whatever happens.
# Source it, after the shebang; it brings tests/cli/lib.sh with it.
#
#   loop_device NAME SIZE [OPTIONS…]   loop over a file in memory; the device's path in $DEVICE
#   loop_on_disk NAME SIZE [OPTIONS…]  loop over a file on the disk
#   zram_device SIZE                   a zram device of its own; its path in $DEVICE
#   mount_fs DEVICE TYPE [OPTIONS…]    makes a filesystem and mounts it; the place in $MOUNT
#   set_queue NAME VALUE               a setting of $DEVICE's queue, put back at exit
#   keep_pid PID                       a process to be ended at exit
#   hits_and_misses                    a trace as CSV: of 20,000 reads six in ten take 0.3 ms, the others 8 ms
#
# All of it belongs to scratch folders that bear the process number, so that the next run can sweep up
# after a test that was killed: see packaging/leftovers.sh.
# shellcheck shell=bash disable=SC2034
source "$RIGEL_SOURCE/tests/cli/lib.sh"

MEMORY=
DEVICE=
MOUNT=
PIDS=()
QUEUE_SETTINGS=()

clean_up() {
  local code=$? i
  set +e
  for ((i = ${#PIDS[@]} - 1; i >= 0; --i)); do
    kill "${PIDS[i]}" 2>/dev/null && { kill -CONT "${PIDS[i]}"; wait "${PIDS[i]}"; } 2>/dev/null
  done
  for ((i = ${#QUEUE_SETTINGS[@]} - 1; i >= 0; --i)); do
    echo "${QUEUE_SETTINGS[i]#* }" >"${QUEUE_SETTINGS[i]%% *}"
  done
  release_scratch "$WORK"  # first: mounts and loop devices in it may stand on the devices in memory
  [ -z "$MEMORY" ] || release_scratch "$MEMORY"
  exit $code
}
trap clean_up EXIT

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
  [ -n "$MEMORY" ] || MEMORY=$(TMPDIR=/dev/shm make_scratch test)
  attach_loop "$MEMORY/$name" "$@"
}

loop_on_disk() {
  local name=$1
  shift
  attach_loop "$WORK/$name" "$@"
}

zram_device() {
  [ -e /sys/class/zram-control/hot_add ] || modprobe zram 2>/dev/null || skip "the kernel has no zram"
  DEVICE=$(add_zram "$WORK" "$1")
}

# set_queue NAME VALUE: a setting of $DEVICE's queue, which would outlive a loop device: put back at exit.
set_queue() {
  local file
  file=/sys/block/$(basename "$DEVICE")/queue/$1
  # The scheduler in force is the one in brackets.
  QUEUE_SETTINGS+=("$file $(sed -E 's/.*\[([^]]*)\].*/\1/' "$file")")
  echo "$2" >"$file"
}

mount_fs() {
  local device=$1 type=$2
  shift 2
  "mkfs.$type" -q "$@" "$device"
  MOUNT=$WORK/mount-$(basename "$device")
  mkdir -p "$MOUNT"
  mount "$device" "$MOUNT"
}

hits_and_misses() {
  LC_ALL=C awk 'BEGIN {
    srand(3); print "queue_ns,complete_ns,offset_bytes,length_bytes,op"
    for (i = 0; i < 20000; ++i) {
      latency = rand() < 0.6 ? 300000 * exp(0.4 * (rand() + rand() + rand() - 1.5)) : -log(1 - rand()) * 8000000
      printf "%.0f,%.0f,%.0f,8192,read\n", i * 1000000, i * 1000000 + latency, int(rand() * 10000) * 8192
    }}'
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
