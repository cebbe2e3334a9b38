// OPT, the bound no policy can beat: evicts the page whose next access is farthest away. Belady, "A
// study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966.
// It is the bound of hits by page; by request or by byte another order might hit more.
//
// It must know the future, so it keeps the whole trace (8 bytes an access) and runs in finish(),
// with 4 bytes an access more. Resident pages are ordered by the place of their next access, as
// bits of a tree with 64 children a node; pages that are never asked for again go first.
// One thread; throws Error for more than 2^32 - 2 accesses. Told to end early it has no result: its
// tally is empty.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/cache/cache_simulator.hpp"

namespace rigel {

class OptSimulator final : public CacheSimulator {
 public:
  static constexpr std::string_view kName = "opt";
  static constexpr std::string_view kDescription = "Belady's bound: knows the future";

  explicit OptSimulator(std::uint32_t capacity_pages) : capacity_{capacity_pages} {}
  void add(const PageBlock& block) override;
  void finish(const GoOn& go_on) override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> next_accesses() const;

  std::uint32_t capacity_;
  std::size_t page_count_ = 0;
  std::size_t first_counted_ = 0;  // accesses before this one warm the cache up
  std::vector<PageId> ids_;
  std::vector<PageAccess> accesses_;
};

}  // namespace rigel
