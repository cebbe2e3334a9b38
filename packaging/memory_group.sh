# Memory control groups: how run-demo gives PostgreSQL, and the page cache, a known amount of memory.
# Sourced. Knows both hierarchies of Linux: v2 (memory.max) and v1 (memory.limit_in_bytes).
# shellcheck shell=bash

# make_memory_group SCRATCH NAME BYTES: makes a group that belongs to the scratch folder and prints
# its folder. Fails where there is no memory controller, or none that may be used.
make_memory_group() {
  local scratch=$1 group
  if grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null; then
    grep -qw memory /sys/fs/cgroup/cgroup.subtree_control ||
      echo +memory >/sys/fs/cgroup/cgroup.subtree_control || return 1
    group=/sys/fs/cgroup
  elif [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
    group=/sys/fs/cgroup/memory
  else
    return 1
  fi
  group=$group/$(basename "$scratch").$2
  mkdir "$group" || return 1
  echo "$group" >>"$scratch/cgroups"
  limit_memory_group "$group" "$3" || return 1
  # The limit is to push out file pages, not to swap.
  [ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
  [ ! -e "$group/memory.swappiness" ] || echo 0 >"$group/memory.swappiness"
  echo "$group"
}

# limit_memory_group FOLDER BYTES: what is above the limit is pushed out.
limit_memory_group() {
  local limit=$1/memory.max
  [ -e "$limit" ] || limit=$1/memory.limit_in_bytes
  echo "$2" >"$limit"
}

# cached_bytes FOLDER: what the group's page cache holds.
cached_bytes() { awk '$1 == "file" || $1 == "cache" { print $2; exit }' "$1/memory.stat"; }
