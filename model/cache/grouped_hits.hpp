// How each device or process fares in one LRU cache that all share, at given sizes.
// Memory: 5 bytes a page besides what each group's counts take. One thread; no errors of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cache/block_consumer.hpp"
#include "model/cache/cache_simulator.hpp"
#include "model/cache/stack_distance.hpp"

namespace rigel {

struct GroupHits {
  AccessCounts total;
  AccessCounts cold;
  std::vector<AccessCounts> hits;  // one for each size

  GroupHits& operator+=(const GroupHits& other);
};

class GroupedHits final : public BlockConsumer {
 public:
  explicit GroupedHits(std::vector<std::uint64_t> sizes_pages);

  // Numbered, with groups.
  void add(const PageBlock& block) override;
  // By group index; those that never came are empty.
  [[nodiscard]] std::vector<GroupHits> groups() const;

 private:
  std::vector<std::uint64_t> sizes_;  // the last is unlimited
  StackDistance stack_;
  std::vector<std::vector<HitTally>> tallies_;  // [group][size]
};

}  // namespace rigel
