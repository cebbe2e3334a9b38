#include "capture/kernel_flavour.hpp"

#include <bpf/btf.h>
#include <fmt/format.h>

#include <optional>
#include <string>

#include "traces/error.hpp"
#include "traces/io_record.hpp"

namespace rigel {
namespace {

struct FlagName {
  const char* enumerator;
  std::uint32_t flag;
};

// Names in enum req_flag_bits; their numbers move with almost every kernel.
constexpr std::array kFlagNames{
    FlagName{"__REQ_SYNC", io_flag::kSync},
    FlagName{"__REQ_META", io_flag::kMeta},
    FlagName{"__REQ_PRIO", io_flag::kPriority},
    FlagName{"__REQ_IDLE", io_flag::kIdle},
    FlagName{"__REQ_FUA", io_flag::kFua},
    FlagName{"__REQ_PREFLUSH", io_flag::kPreflush},
    FlagName{"__REQ_RAHEAD", io_flag::kReadahead},
    FlagName{"__REQ_BACKGROUND", io_flag::kBackground},
    FlagName{"__REQ_NOWAIT", io_flag::kNowait},
    FlagName{"__REQ_POLLED", io_flag::kPolled},
    FlagName{"__REQ_HIPRI", io_flag::kPolled},  // its name before 5.16, 6ce913fe3eee
    FlagName{"__REQ_SWAP", io_flag::kSwap},
};

// Calls `visit(name, value)` for each enumerator, if there is such an enum. To find it is to go
// through all of the kernel's types.
template <typename Visit>
void for_each_enumerator(const btf& kernel, const char* type_name, Visit visit) {
  const std::int32_t id = btf__find_by_name_kind(&kernel, type_name, BTF_KIND_ENUM);
  if (id < 0) return;
  const btf_type* type = btf__type_by_id(&kernel, static_cast<std::uint32_t>(id));
  const struct btf_enum* values = btf_enum(type);
  for (std::uint16_t i = 0; i < btf_vlen(type); ++i) {
    visit(std::string_view{btf__name_by_offset(&kernel, values[i].name_off)},
          static_cast<std::uint32_t>(values[i].val));
  }
}

std::optional<std::uint32_t> enumerator(const btf& kernel, const char* type_name,
                                        std::string_view name) {
  std::optional<std::uint32_t> found;
  for_each_enumerator(kernel, type_name, [&](std::string_view other, std::uint32_t value) {
    if (other == name) found = value;
  });
  return found;
}

// The prototype that a tracepoint's BTF typedef points to; its first parameter is not the
// tracepoint's own.
const btf_type& prototype(const btf& kernel, const char* tracepoint) {
  const std::string name = fmt::format("btf_trace_{}", tracepoint);
  const std::int32_t id = btf__find_by_name_kind(&kernel, name.c_str(), BTF_KIND_TYPEDEF);
  if (id >= 0) {
    const btf_type* pointer =
        btf__type_by_id(&kernel, btf__type_by_id(&kernel, static_cast<std::uint32_t>(id))->type);
    const btf_type* function =
        pointer == nullptr ? nullptr : btf__type_by_id(&kernel, pointer->type);
    if (function != nullptr && btf_is_func_proto(function)) return *function;
  }
  throw Error{
      fmt::format("this kernel has no tracepoint {}: rigel capture needs the block layer's "
                  "tracepoints (CONFIG_BLOCK, CONFIG_TRACEPOINTS) described by BTF",
                  tracepoint)};
}

bool takes_queue_first(const btf& kernel, const char* tracepoint) {
  const btf_type& function = prototype(kernel, tracepoint);
  if (btf_vlen(&function) < 2) return false;
  const btf_type* first = btf__type_by_id(&kernel, btf_params(&function)[1].type);
  if (first == nullptr || !btf_is_ptr(first)) return false;
  const btf_type* target = btf__type_by_id(&kernel, first->type);
  return target != nullptr &&
         std::string_view{btf__name_by_offset(&kernel, target->name_off)} == "request_queue";
}

// blk_status_t is a typedef of a byte, an errno a plain int.
bool completion_has_errno(const btf& kernel) {
  const btf_type& function = prototype(kernel, "block_rq_complete");
  if (btf_vlen(&function) < 3) return false;
  const btf_type* status = btf__type_by_id(&kernel, btf_params(&function)[2].type);
  return status != nullptr && btf_is_int(status);
}

}  // namespace

std::uint32_t KernelFlavour::flags_of(std::uint32_t op_flags) const {
  std::uint32_t flags = 0;
  for (std::uint32_t rest = op_flags & ~0xffU; rest != 0; rest &= rest - 1) {
    flags |= io_flags[static_cast<std::size_t>(__builtin_ctz(rest))];
  }
  return flags;
}

KernelFlavour flavour_of(const btf& kernel) {
  KernelFlavour flavour;
  flavour.rq_after_queue = takes_queue_first(kernel, "block_rq_issue");
  flavour.bio_after_queue = takes_queue_first(kernel, "block_bio_queue");
  flavour.status_is_errno = completion_has_errno(kernel);
  const std::uint32_t flush_bit = enumerator(kernel, "rqf_flags", "__RQF_FLUSH_SEQ").value_or(4);
  flavour.flush_sequence_mask = 1U << flush_bit;
  if (const auto bit = enumerator(kernel, "pageflags", "PG_writeback")) {
    flavour.writeback_mask = std::uint64_t{1} << *bit;
  }
  for (const char* type : {"req_op", "req_opf"}) {
    if (const auto op = enumerator(kernel, type, "REQ_OP_ZONE_APPEND")) {
      flavour.zone_append_op = static_cast<std::uint8_t>(*op);
    }
  }
  for_each_enumerator(kernel, "req_flag_bits", [&](std::string_view name, std::uint32_t bit) {
    for (const FlagName& known : kFlagNames) {
      if (name == known.enumerator && bit < flavour.io_flags.size())
        flavour.io_flags[bit] = known.flag;
    }
  });
  return flavour;
}

}  // namespace rigel
