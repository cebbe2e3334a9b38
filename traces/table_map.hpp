// Where the entries of a file's table went in TraceTables: a table may begin anew in the middle of
// a file (concatenated traces) or lack entries (damaged blocks). Indices nobody described get an
// entry of their own, named by the caller, so that two unknown devices are not taken for one.
// Plain data, one thread. Memory is bounded by the entries added plus kMaxUnknown.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rigel::rgt {

class TableMap {
 public:
  // File indices first, first + 1, … are entries base, base + 1, … of TraceTables.
  void add(std::uint64_t first, std::uint64_t count, std::uint32_t base) {
    if (count == 0) return;
    if (!runs_.empty()) {
      Run& last = runs_.back();
      if (first == last.first + last.count && base == last.base + last.count) {
        last.count += count;
        return;
      }
    }
    runs_.push_back({first, count, base});
  }

  // Rewrites indices in place. make_unknown(index) adds an entry to TraceTables and returns its
  // place.
  template <typename MakeUnknown>
  void apply(std::vector<std::uint32_t>& indices, MakeUnknown make_unknown) {
    const std::uint64_t plain =
        runs_.size() == 1 && runs_[0].first == 0 && runs_[0].base == 0 ? runs_[0].count : 0;
    std::uint32_t greatest = 0;
    for (const std::uint32_t index : indices) greatest = index > greatest ? index : greatest;
    if (greatest < plain) return;
    for (std::uint32_t& index : indices) index = place_of(index, make_unknown);
  }

 private:
  struct Run {
    std::uint64_t first;
    std::uint64_t count;
    std::uint32_t base;
  };
  static constexpr std::size_t kMaxUnknown = 4096;

  template <typename MakeUnknown>
  std::uint32_t place_of(std::uint32_t index, MakeUnknown& make_unknown) {
    for (const Run& run : runs_) {
      if (index - run.first < run.count)
        return run.base + static_cast<std::uint32_t>(index - run.first);
    }
    // Beyond the bound, which only a forged file reaches, they share the last one.
    const std::uint32_t key =
        unknown_.size() < kMaxUnknown || unknown_.contains(index) ? index : last_;
    const auto [found, added] = unknown_.try_emplace(key);
    if (added) {
      found->second = make_unknown(key);
      last_ = key;
    }
    return found->second;
  }

  std::vector<Run> runs_;
  std::unordered_map<std::uint32_t, std::uint32_t> unknown_;
  std::uint32_t last_ = 0;
};

}  // namespace rigel::rgt
