#include "traces/io_class.hpp"

#include <array>
#include <limits>

namespace rigel {
namespace {

constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();

// The first that fits; an empty role is any.
struct Rule {
  std::string_view role;
  IoOp op;
  std::uint32_t most_bytes;
  std::string_view name;
};

constexpr std::array kRules{
    Rule{"lgwr", IoOp::kWrite, kAny, "redo write"},
    Rule{"walwriter", IoOp::kWrite, kAny, "redo write"},
    Rule{"lgwr", IoOp::kRead, kAny, "redo read"},
    Rule{"arch", IoOp::kRead, kAny, "redo read"},
    Rule{"walsender", IoOp::kRead, kAny, "redo read"},
    Rule{"recovery", IoOp::kRead, kAny, "redo read"},
    Rule{"arch", IoOp::kWrite, kAny, "archive write"},
    Rule{"archiver", IoOp::kWrite, kAny, "archive write"},
    Rule{"rvwr", IoOp::kWrite, kAny, "flashback log write"},
    Rule{"ctwr", IoOp::kWrite, kAny, "change tracking write"},
    Rule{"dbwr", IoOp::kWrite, kAny, "data file write"},
    Rule{"checkpointer", IoOp::kWrite, kAny, "data file write"},
    Rule{"bgwriter", IoOp::kWrite, kAny, "data file write"},
    Rule{"ckpt", IoOp::kWrite, kAny, "control file write"},
    Rule{"ckpt", IoOp::kRead, kAny, "control file read"},
    Rule{"", IoOp::kRead, kLargestDatabaseBlock, "single-block read"},
    Rule{"parallel", IoOp::kRead, kAny, "direct path read"},
    Rule{"io-slave", IoOp::kRead, kAny, "direct path read"},
    Rule{"", IoOp::kRead, kAny, "multi-block read"},
    Rule{"parallel", IoOp::kWrite, kAny, "direct path write"},
    Rule{"io-slave", IoOp::kWrite, kAny, "direct path write"},
    Rule{"foreground", IoOp::kWrite, kAny, "foreground write"},
    Rule{"", IoOp::kWrite, kAny, "other write"},
};

}  // namespace

std::string_view io_class(std::string_view role, IoOp op, std::uint32_t length_bytes) {
  if (role.empty() || length_bytes == 0) return {};
  for (const Rule& rule : kRules) {
    if ((rule.role.empty() || rule.role == role) && rule.op == op &&
        length_bytes <= rule.most_bytes) {
      return rule.name;
    }
  }
  return {};
}

}  // namespace rigel
