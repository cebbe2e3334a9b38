// Builds the exact LRU miss ratio curve of a stream of page accesses.
//
//   LruCurve lru{{sizes in pages that must be exact}};
//   while (stream.next(block)) { index.assign(block.pages, ids); lru.add(block, ids); }
//   lru.curve().at(pages)
//
// Memory: 5 bytes a page (StackDistance) and at most 28 MiB (DistanceBins). One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/cache/miss_ratio_curve.hpp"
#include "model/cache/page_index.hpp"
#include "model/cache/page_stream.hpp"
#include "model/cache/stack_distance.hpp"

namespace rigel {

class LruCurve {
 public:
  explicit LruCurve(std::vector<std::uint64_t> sizes_pages);

  // The block's accesses, with the number PageIndex gave each page.
  void add(const PageBlock& block, std::span<const PageId> ids);
  // Of what was added so far.
  [[nodiscard]] MissRatioCurve curve() const;

 private:
  template <bool kCounted>
  void add_accesses(const PageBlock& block, std::span<const PageId> ids);
  [[nodiscard]] AccessCounts& counts_at(std::uint64_t distance);

  DistanceBins bins_;
  StackDistance stack_;
  std::vector<AccessCounts> histogram_;
  AccessCounts cold_;
  std::uint64_t request_distance_ = 0;  // the largest of the request under way
};

}  // namespace rigel
