#include "model/cache/grouped_hits.hpp"

namespace rigel {

GroupHits& GroupHits::operator+=(const GroupHits& other) {
  total += other.total;
  cold += other.cold;
  hits.resize(other.hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i) hits[i] += other.hits[i];
  return *this;
}

GroupedHits::GroupedHits(std::vector<std::uint64_t> sizes_pages) : sizes_{std::move(sizes_pages)} {
  sizes_.push_back(StackDistance::kCold);
}

void GroupedHits::add(const PageBlock& block) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    const std::uint64_t distance = stack_.access(block.ids[i]);
    const std::uint32_t group = block.groups[i];
    while (tallies_.size() <= group) tallies_.emplace_back(sizes_.size());
    for (std::size_t size = 0; size < sizes_.size(); ++size) {
      const bool hit = distance < sizes_[size];
      if (block.counted) {
        tallies_[group][size].note(block.accesses[i], hit);
      } else {
        tallies_[group][size].pass(block.accesses[i], hit);
      }
    }
  }
}

std::vector<GroupHits> GroupedHits::groups() const {
  std::vector<GroupHits> result(tallies_.size());
  for (std::size_t group = 0; group < tallies_.size(); ++group) {
    const std::vector<HitTally>& tallies = tallies_[group];
    result[group].total = tallies.back().total();
    result[group].cold = result[group].total;
    result[group].cold.combine(tallies.back().hits(),
                               [](double all, double hits) { return all - hits; });
    for (std::size_t size = 0; size + 1 < tallies.size(); ++size) {
      result[group].hits.push_back(tallies[size].hits());
    }
  }
  return result;
}

}  // namespace rigel
