#include "traces/io_flag_names.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "traces/io_record.hpp"

namespace rigel {
namespace {

struct FlagName {
  std::uint32_t bit;
  std::string_view name;
};
constexpr std::array kFlagNames{
    FlagName{io_flag::kSync, "sync"},
    FlagName{io_flag::kFua, "fua"},
    FlagName{io_flag::kPreflush, "preflush"},
    FlagName{io_flag::kMeta, "meta"},
    FlagName{io_flag::kReadahead, "readahead"},
    FlagName{io_flag::kBackground, "background"},
    FlagName{io_flag::kNowait, "nowait"},
    FlagName{io_flag::kIdle, "idle"},
    FlagName{io_flag::kPriority, "priority"},
    FlagName{io_flag::kSwap, "swap"},
    FlagName{io_flag::kPolled, "polled"},
    FlagName{io_flag::kPassthrough, "passthrough"},
    FlagName{io_flag::kBioLayer, "bio-layer"},
    FlagName{io_flag::kMerged, "merged"},
    FlagName{io_flag::kSplit, "split"},
    FlagName{io_flag::kRequeued, "requeued"},
    FlagName{io_flag::kWriteback, "writeback"},
    FlagName{io_flag::kInFlightAtStart, "in-flight-at-start"},
    FlagName{io_flag::kInFlightAtStop, "in-flight-at-stop"},
    FlagName{io_flag::kEndUnseen, "end-unseen"},
};

bool parse_one(std::string_view name, std::uint32_t& flags) {
  for (const FlagName& known : kFlagNames) {
    if (known.name != name) continue;
    flags |= known.bit;
    return true;
  }
  if (!name.starts_with("0x")) return false;
  std::uint32_t bits = 0;
  const char* end = name.data() + name.size();
  const auto [rest, status] = std::from_chars(name.data() + 2, end, bits, 16);
  flags |= bits;
  return status == std::errc{} && rest == end;
}

}  // namespace

std::string format_flags(std::uint32_t flags) {
  if (flags == 0) return "0";
  std::string text;
  for (const FlagName& known : kFlagNames) {
    if ((flags & known.bit) == 0) continue;
    if (!text.empty()) text += '+';
    text += known.name;
    flags &= ~known.bit;
  }
  if (flags != 0) text += fmt::format("{}0x{:x}", text.empty() ? "" : "+", flags);
  return text;
}

bool parse_flags(std::string_view text, std::uint32_t& flags) {
  flags = 0;
  if (text.empty() || text == "0") return true;
  for (;;) {
    const std::size_t plus = text.find('+');
    if (!parse_one(text.substr(0, plus), flags)) return false;
    if (plus == std::string_view::npos) return true;
    text.remove_prefix(plus + 1);
  }
}

}  // namespace rigel
