#!/usr/bin/env bash
# The include rule of the house: traces stands alone; capture, model, replay and report stand on traces
# and never on each other; cli stands on all. A library that belongs to one folder is named only there.
#   layering.sh [SOURCE_ROOT]
set -euo pipefail

# What each folder may include, besides itself.
declare -A MAY_INCLUDE=(
  [traces]=""
  [capture]="traces"
  [model]="traces"
  [replay]="traces"
  [report]="traces"
  [cli]="traces capture model replay report"
)
# Path prefix of a library's headers, and the one place that may name it.
declare -A ONLY_IN=(
  [bpf/]=capture/
  [liburing]=replay/
  [fuse]=model/array/virtual_lun
  [boost/program_options]=cli/
)

violations() {
  local root=$1 folder file include top library
  cd "$root"
  for folder in "${!MAY_INCLUDE[@]}"; do
    [ -d "$folder" ] || continue
    find "$folder" \( -name '*.[hc]pp' -o -name '*.[hc]' \) -print0 |
      xargs -0r awk '/^[ \t]*#[ \t]*include[ \t]*[<"]/ { print FILENAME ":" $0 }' |
      sed -E 's/^([^:]+):[^<"]*[<"]([^>"]+).*/\1 \2/' | while read -r file include; do
      top=${include%%/*}
      if [ -n "${MAY_INCLUDE[$top]+rule}" ] && [ "$top" != "$include" ] &&
        [[ " $folder ${MAY_INCLUDE[$folder]} " != *" $top "* ]]; then
        echo "$file includes $include: $folder must not know $top"
      fi
      for library in "${!ONLY_IN[@]}"; do
        if [[ $include == "$library"* && $file != "${ONLY_IN[$library]}"* ]]; then
          echo "$file includes $include: that belongs to ${ONLY_IN[$library]}"
        fi
      done
    done
  done
}

# The rule must be able to fail: one planted offence of each kind is found, and nothing else is.
planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
mkdir -p "$planted"/{traces,capture,model/array,replay,cli}
echo '#include "model/cache/shards.hpp"' >"$planted/replay/a.cpp"
echo '  # include <liburing.h>' >"$planted/cli/b.hpp"
echo '#include <bpf/bpf_helpers.h>' >"$planted/capture/c.bpf.c"
echo '#include "cli/options.hpp"' >"$planted/traces/d.hpp"
echo '#include "traces/io_record.hpp"' >"$planted/model/array/e.cpp"
found=$(violations "$planted" | cut -d' ' -f1 | sort | tr '\n' ' ')
[ "$found" = "cli/b.hpp replay/a.cpp traces/d.hpp " ] ||
  { echo "the test itself is broken; of the planted offences it found: $found"; exit 1; }

broken=$(violations "${1:-$RIGEL_SOURCE}")
[ -z "$broken" ] || { echo "$broken"; exit 1; }

# Tests run side by side, so what one of them makes has no name of its own choice in a common folder.
shared=$(grep -rnE 'TempDir\(\)|temp_directory_path' "${1:-$RIGEL_SOURCE}/tests" --include='*_test.cpp' || true)
[ -z "$shared" ] || { echo "$shared: use tests/scratch_folder.hpp"; exit 1; }
