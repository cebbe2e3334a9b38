# Scratch folders that know how to clean up after themselves, also when their owner was killed.
# Sourced by the tests, run-tests and run-demo.
#
# A scratch folder is /tmp/rigel-<kind>.<pid of its owner>.<random>, or the same in /dev/shm for what
# must lie in memory. It owns
#   - the loop devices whose backing file lies in it, and what is mounted from them or below it,
#   - the zram devices named in its file `zram`, a line each: name and the disk's sequence number,
#   - the control groups named in its file `cgroups`, one a line.
# It is stale when its owner is no longer alive; only then does a sweep touch it, so that runs
# beside each other are safe.
# shellcheck shell=bash

# make_scratch KIND [PLACE]: makes one for this shell and prints its name.
make_scratch() { mktemp -d "${2:-${TMPDIR:-/tmp}}/rigel-$1.$$.XXXXXX"; }

# release_scratch FOLDER: gives back all that it owns and removes it. Needs root for what root made.
release_scratch() {
  local folder=$1 name target nested sequence
  [ -d "$folder" ] || return 0
  for nested in "$folder"/rigel-*.*.*; do release_scratch "$nested"; done
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    scratch_devices "$folder" | while read -r name; do
      unmount_device "$name"
      losetup -d "$name"
    done 2>/dev/null
    scratch_mounts "$folder" | while read -r target; do umount "$target"; done 2>/dev/null
    if [ -e "$folder/zram" ]; then
      while read -r name sequence; do remove_zram "$name" "$sequence"; done <"$folder/zram" 2>/dev/null
    fi
    if [ -e "$folder/cgroups" ]; then
      while read -r name; do [ ! -d "$name" ] || rmdir "$name"; done <"$folder/cgroups" 2>/dev/null
    fi
    scratch_is_free "$folder" && break
    sleep 0.3  # an unmounted or closed device is busy for a moment more
  done
  scratch_is_free "$folder" || echo "could not release the devices of $folder" >&2
  rm -rf --one-file-system "$folder"
}

scratch_devices() {
  losetup -lnO NAME,BACK-FILE 2>/dev/null | awk -v folder="$1/" 'index($2, folder) == 1 { print $1 }'
}

# The innermost first.
scratch_mounts() {
  findmnt -rno TARGET | awk -v folder="$1/" 'index($1, folder) == 1' | sort -r
}

scratch_is_free() { [ -z "$(scratch_devices "$1")$(scratch_mounts "$1")" ]; }

# unmount_device DEVICE: whatever is mounted from it, partitions included.
unmount_device() {
  findmnt -rno SOURCE,TARGET | awk -v device="$1" '$1 == device || index($1, device "p") == 1 { print $2 }' |
    while read -r target; do umount "$target"; done
}

# remove_zram NAME SEQUENCE: e.g. zram3 17. The name may be another's by now; the disk's sequence
# number never is.
remove_zram() {
  [ "$(cat "/sys/block/$1/diskseq" 2>/dev/null)" = "$2" ] || return 0
  unmount_device "/dev/$1"
  echo 1 >"/sys/block/$1/reset"
  echo "${1#zram}" >/sys/class/zram-control/hot_remove
}

# sweep_scratch: releases every stale scratch folder, and loop devices of folders that are gone.
sweep_scratch() {
  local folder owner name
  { printf '%s\n' "${TMPDIR:-/tmp}"/rigel-*.*.* /dev/shm/rigel-*.*.*
    losetup -lnO BACK-FILE 2>/dev/null | sed -nE 's,^(/.*/rigel-[a-z0-9]+\.[0-9]+\.[A-Za-z0-9]+)/.*,\1,p'
  } | sort -u | while read -r folder; do
    owner=$(sed -nE 's,.*/rigel-[a-z0-9]+\.([0-9]+)\.[A-Za-z0-9]+$,\1,p' <<<"$folder")
    if [ -z "$owner" ] || [ -d "/proc/$owner" ]; then continue; fi
    scratch_devices "$folder" | while read -r name; do losetup -d "$name"; done 2>/dev/null
    [ ! -d "$folder" ] || echo "cleaning up what a killed run left: $folder" >&2
    release_scratch "$folder"
  done
}
