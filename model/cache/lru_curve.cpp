#include "model/cache/lru_curve.hpp"

#include <algorithm>

namespace rigel {

namespace {
constexpr std::size_t kAhead = 16;  // accesses whose page state is fetched ahead
}

LruCurve::LruCurve(std::vector<std::uint64_t> sizes_pages) : bins_{std::move(sizes_pages)} {}

AccessCounts& LruCurve::counts_at(std::uint64_t distance) {
  if (distance == StackDistance::kCold) return cold_;
  const std::size_t bin = bins_.index(distance);
  if (bin >= histogram_.size()) histogram_.resize(std::max(bin + 1, histogram_.size() * 3 / 2));
  return histogram_[bin];
}

template <bool kCounted>
void LruCurve::add_accesses(const PageBlock& block) {
  const std::vector<PageId>& ids = block.ids;
  const std::size_t last = ids.size() - 1;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    stack_.prefetch(ids[std::min(i + kAhead, last)]);
    const std::uint64_t distance = stack_.access(ids[i]);
    if constexpr (kCounted) counts_at(distance).add_page(block.accesses[i]);
    request_distance_ = std::max(request_distance_, distance);
    if (block.accesses[i].last()) {
      if constexpr (kCounted) counts_at(request_distance_).add_request(block.accesses[i]);
      request_distance_ = 0;
    }
  }
}

void LruCurve::add(const PageBlock& block) {
  if (block.ids.empty()) return;
  if (block.counted) {
    add_accesses<true>(block);
  } else {
    add_accesses<false>(block);
  }
}

MissRatioCurve LruCurve::curve() const {
  return {bins_, histogram_, cold_, static_cast<double>(stack_.pages())};
}

}  // namespace rigel
