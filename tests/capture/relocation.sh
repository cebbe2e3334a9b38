#!/usr/bin/env bash
# The BPF object fits other kernels than this one: by libbpf's own CO-RE relocation, done offline against
# the BTF in kernels/, every field that it reads is there but those of flavours that the kernel has not,
# whose other form is. Needs neither root nor BPF.
#   RIGEL_BPF_OBJECT, BPFTOOL: the object and the tool, from the build.
source "$RIGEL_SOURCE/tests/cli/lib.sh"
KERNELS=$RIGEL_SOURCE/tests/capture/kernels

# unresolved BTF: the fields that are read and are not there; asking whether one is there is no reading.
unresolved() {
  "$BPFTOOL" -d gen min_core_btf "$1" "$WORK/out.btf" "$RIGEL_BPF_OBJECT" >"$WORK/log" 2>&1 || fail "$(tail -1 "$WORK/log")"
  grep -q "matching candidate #0 <byte_off>" "$WORK/log" || fail "no relocation was tried on $1: $(tail -1 "$WORK/log")"
  sed -nE "s/.*relo #[0-9]+: <(\w+)> \[[0-9]+\] struct ([^ ]+) .*/\1 \2/p; s/.*relo #[0-9]+: no matching targets found/none/p" \
    "$WORK/log" | awk '$1 == "none" && kind == "byte_off" {print field}; $1 != "none" {kind = $1; field = $2}' |
    sort -u | tr '\n' ' '
}

while read -r kernel lacks; do
  expect_equal "$(unresolved "$KERNELS/$kernel.btf")" "$lacks " "what $kernel has not"
done <<'END'
6.1  page___memdesc.flags.f request___rq_disk.rq_disk
6.18 page.flags request___rq_disk.rq_disk
END

# Today's, whichever that is: nothing is missing but one form of a flavour.
if [ -r /sys/kernel/btf/vmlinux ]; then
  for field in $(unresolved /sys/kernel/btf/vmlinux); do
    case $field in
      page.flags | page___memdesc.flags.f | request___rq_disk.rq_disk | request_queue.disk) ;;
      *) fail "this kernel has no $field" ;;
    esac
  done
fi
