// Builds the exact LRU miss ratio curve of a stream of page accesses.
//
//   LruCurve lru{{sizes in pages that must be exact}};
//   while (stream.next(block)) { index.number(block); lru.add(block); }
//   lru.curve().at(pages)
//
// Memory: 5 bytes a page (StackDistance) and at most 28 MiB (DistanceBins). One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cache/block_consumer.hpp"
#include "model/cache/miss_ratio_curve.hpp"
#include "model/cache/page_stream.hpp"
#include "model/cache/stack_distance.hpp"

namespace rigel {

class LruCurve final : public BlockConsumer {
 public:
  explicit LruCurve(std::vector<std::uint64_t> sizes_pages);

  // A block whose pages are numbered.
  void add(const PageBlock& block) override;
  // Of what was added so far.
  [[nodiscard]] MissRatioCurve curve() const;

 private:
  template <bool kCounted>
  void add_accesses(const PageBlock& block);
  [[nodiscard]] AccessCounts& counts_at(std::uint64_t distance);

  DistanceBins bins_;
  StackDistance stack_;
  std::vector<AccessCounts> histogram_;
  AccessCounts cold_;
  std::uint64_t request_distance_ = 0;  // the largest of the request under way
};

}  // namespace rigel
