# Scratch folders that know how to clean up after themselves, also when their owner was killed.
# Sourced by the tests, run-tests and run-demo.
#
# A scratch folder is /tmp/rigel-<kind>.<pid of its owner>.<random>, or the same in /dev/shm. It owns
#   - the loop devices whose backing file lies in it, and what is mounted from them or below it,
#   - the zram devices in its file `zram`, one a line,
#   - the control groups in its file `cgroups`, with every process in them.
# It is stale when its owner is no longer alive; only then does a sweep touch it, so that runs
# beside each other are safe.
# shellcheck shell=bash

PATH=$PATH:/usr/sbin:/sbin  # losetup and its like are not on every user's path

# make_scratch KIND: makes one for this shell and prints its name.
# Others may pass through it (PostgreSQL's own user does), not list it.
make_scratch() {
  local folder
  folder=$(mktemp -d "${TMPDIR:-/tmp}/rigel-$1.$$.XXXXXX") && chmod 711 "$folder" && echo "$folder"
}

# release_scratch FOLDER: gives back all that it owns and removes it. Needs root for what root made.
release_scratch() {
  local folder=$1 nested
  for nested in "$folder"/rigel-*.*.*; do
    [ ! -d "$nested" ] || release_scratch "$nested"
  done
  local signal
  for signal in QUIT QUIT QUIT QUIT QUIT QUIT KILL KILL KILL KILL; do
    { end_processes "$folder" "$signal"; release_devices "$folder"; } 2>/dev/null || true
    scratch_is_free "$folder" && break
    sleep 0.3  # an unmounted or closed device is busy for a moment more
  done
  scratch_is_free "$folder" || echo "could not release the devices of $folder" >&2
  rm -rf --one-file-system "$folder"
}

# One pass; what is still busy stays.
release_devices() {
  local folder=$1 name target
  scratch_devices "$folder" | while read -r name; do unmount_device "$name"; losetup -d "$name"; done
  scratch_mounts "$folder" | while read -r target; do umount "$target"; done
  [ ! -e "$folder/zram" ] ||
    while read -r name; do remove_zram "${name% *}" "${name#* }"; done <"$folder/zram"
}

# end_processes FOLDER SIGNAL: those in its control groups; a group without any is removed.
end_processes() {
  local group
  [ -e "$1/cgroups" ] || return 0
  while read -r group; do
    [ -d "$group" ] || continue
    xargs -r kill "-$2" <"$group/cgroup.procs" || true
    rmdir "$group"
  done <"$1/cgroups"
}

# Its partitions too.
unmount_device() {
  local target
  findmnt -rno SOURCE,TARGET | awk -v device="$1" '$1 == device || index($1, device "p") == 1 { print $2 }' |
    while read -r target; do umount "$target"; done
}

scratch_devices() {
  losetup -lnO NAME,BACK-FILE 2>/dev/null | awk -v folder="$1/" 'index($2, folder) == 1 { print $1 }'
}

# The innermost first.
scratch_mounts() {
  findmnt -rno TARGET | awk -v folder="$1/" 'index($1, folder) == 1' | sort -r
}

scratch_is_free() {
  [ -z "$(scratch_devices "$1")$(scratch_mounts "$1")" ] &&
    { [ ! -e "$1/cgroups" ] || [ -z "$(xargs -r -a "$1/cgroups" ls -d 2>/dev/null)" ]; }
}

# add_zram FOLDER SIZE: a new zram device that belongs to the folder; prints its path.
add_zram() {
  local number
  number=$(cat /sys/class/zram-control/hot_add)
  echo "$number $(cat "/sys/block/zram$number/diskseq")" >>"$1/zram"
  echo "$2" >"/sys/block/zram$number/disksize"
  echo "/dev/zram$number"
}

# remove_zram NUMBER SEQUENCE: the number may be another's by now; a disk's sequence number never is.
remove_zram() {
  [ "$(cat "/sys/block/zram$1/diskseq" 2>/dev/null)" = "$2" ] || return 0
  unmount_device "/dev/zram$1"
  local try
  for ((try = 0; try < 50; ++try)); do  # who has it open may be about to end
    if echo 1 2>/dev/null >"/sys/block/zram$1/reset"; then
      echo "$1" >/sys/class/zram-control/hot_remove
      return
    fi
    sleep 0.1
  done
  echo "zram$1 is in use and stays" >&2
}

# sweep_scratch: releases every stale scratch folder, and loop devices of folders that are gone.
sweep_scratch() {
  local folder owner
  { printf '%s\n' "${TMPDIR:-/tmp}"/rigel-*.*.* /dev/shm/rigel-*.*.*
    losetup -lnO BACK-FILE 2>/dev/null | sed -nE 's,^(/.*/rigel-[a-z0-9]+\.[0-9]+\.[A-Za-z0-9]+)/.*,\1,p'
  } | sort -u | while read -r folder; do
    owner=$(sed -nE 's,.*/rigel-[a-z0-9]+\.([0-9]+)\.[A-Za-z0-9]+$,\1,p' <<<"$folder")
    if [ -z "$owner" ] || [ -d "/proc/$owner" ]; then continue; fi
    echo "cleaning up what a killed run left: $folder" >&2
    release_scratch "$folder"
  done
}
