# What run-tests, run-demo and .ci/run share: the Debian packages, and how they are installed.
# Sourced, not run. Works on Debian 12 with nothing but bash, apt and dpkg.
# shellcheck shell=bash

# Everything that is compiled or linked.
# shellcheck disable=SC2034
BUILD_PACKAGES=(
  g++ cmake ninja-build pkg-config ccache
  clang llvm bpftool libbpf-dev libelf-dev zlib1g-dev
  liburing-dev libcap-ng-dev libfuse3-dev libblkid-dev
  libboost-dev libboost-program-options-dev libfmt-dev nlohmann-json3-dev
  libzstd-dev libxxhash-dev liblzma-dev libbz2-dev libroaring-dev libsqlite3-dev libsodium-dev librandom123-dev
  scdoc libjs-chart.js
)
# What the tests add to that.
# shellcheck disable=SC2034
TEST_PACKAGES=(
  libgtest-dev libgmock-dev
  fio fuse3 xfsprogs e2fsprogs util-linux mount procps jq zstd xz-utils bzip2 gzip sqlite3 man-db python3 systemd
  chromium fonts-dejavu-core poppler-utils python3-jsonschema python3-websocket
)
# What CI adds: the style and static checks, and the run-times of clang's sanitizers.
# shellcheck disable=SC2034
CI_PACKAGES=(git shellcheck clang-format clang-tidy libclang-rt-14-dev)
# What the demo runs.
# shellcheck disable=SC2034
DEMO_PACKAGES=(xfsprogs util-linux mount procps jq)

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# as_root COMMAND...: as root, or through sudo. Fails (and says nothing) where neither is to be had.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -- "$@"; fi
}
may_be_root() { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# install_packages NAME...: those that dpkg does not have yet; apt is not started when there are none.
install_packages() {
  command -v apt-get >/dev/null ||
    die "this is not Debian (no apt-get): install the equivalents of: $*"
  local missing=() name
  for name in "$@"; do is_installed "$name" || missing+=("$name"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "Installing from Debian: ${missing[*]}"
  may_be_root ||
    die "neither root nor sudo; ask an administrator to run: apt-get install ${missing[*]}"
  as_root apt-get -qq update || die "apt-get update failed (is there a network?)"
  # The lock waits for another apt instead of failing beside it.
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Use-Pty=0 install --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get could not install: ${missing[*]}"
}

# install_postgresql: without the cluster that Debian's package would make and start at once.
install_postgresql() {
  ! is_installed postgresql || return 0
  local folder=/etc/postgresql-common/createcluster.d
  as_root mkdir -p "$folder" || die "cannot write $folder"
  echo 'create_main_cluster = false' | as_root tee "$folder/rigel-demo.conf" >/dev/null
  local status=0
  (install_packages postgresql) || status=$?
  as_root rm -f "$folder/rigel-demo.conf"
  as_root rmdir --ignore-fail-on-non-empty "$folder"
  return "$status"
}

# build_rigel PRESET [cmake --build arguments]: configures when needed, and builds.
build_rigel() {
  local preset=$1
  shift
  say "Building rigel (preset $preset, $(nproc) jobs)"
  # CI always builds from nothing. (g++ 12 sees array bounds exceeded in headers that are precompiled.)
  local options=()
  if [ "${CI:-}" = true ] && [ "$preset" = asan ]; then options=(-DCMAKE_DISABLE_PRECOMPILE_HEADERS=OFF); fi
  # A configuration log is worth reading only when something went wrong.
  local log
  log=$(cmake --preset "$preset" "${options[@]}" 2>&1) || { printf '%s\n' "$log" >&2; die "cmake --preset $preset failed"; }
  cmake --build --preset "$preset" "$@" || die "the build failed"
}
