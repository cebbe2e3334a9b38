// Builds the exact LRU miss ratio curve of a stream of page accesses.
//
//   LruCurve lru{{sizes in pages that must be exact}};
//   while (stream.next(block)) { index.number(block); lru.add(block); }
//   lru.curve().at(pages)
//
// Memory: 5 bytes a page (StackDistance) and at most 28 MiB (DistanceBins). One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/cache/block_consumer.hpp"
#include "model/cache/miss_ratio_curve.hpp"
#include "model/cache/page_stream.hpp"
#include "model/cache/stack_distance.hpp"

namespace rigel {

class LruCurve final : public BlockConsumer {
 public:
  explicit LruCurve(std::vector<std::uint64_t> sizes_pages,
                    unsigned exact_bits = DistanceBins::kExactBits);

  // A block whose pages are numbered.
  void add(const PageBlock& block) override { add(block, block.ids); }
  // The same with numbers kept elsewhere.
  void add(const PageBlock& block, std::span<const PageId> ids);
  // Of what was added so far.
  [[nodiscard]] MissRatioCurve curve() const {
    return {bins_, histogram_, cold_, static_cast<double>(stack_.pages())};
  }
  // As an estimate for a stream of which the pages added are a sample.
  [[nodiscard]] MissRatioCurve curve(const PageSampling& sampling) const {
    return {bins_, histogram_, cold_, static_cast<double>(stack_.pages()), sampling};
  }

  // For samples and short stacks. Forgets pages as StackDistance::retain does; an access to one
  // that was forgotten counts as cold.
  void retain(std::span<const std::uint8_t> keep) { stack_.retain(keep); }
  [[nodiscard]] std::vector<std::uint8_t> newest(std::size_t count) const {
    return stack_.newest(count);
  }
  [[nodiscard]] std::size_t pages() const { return stack_.pages(); }
  // Makes what was counted so far a sample at half the rate: half the distances, half the counts.
  void halve();

 private:
  static constexpr std::uint32_t kColdBin = 0xffffffff;

  void find_bins(std::span<const PageId> ids, std::size_t begin, std::span<std::uint32_t> bins);
  [[nodiscard]] AccessCounts& counts_in(std::uint32_t bin) {
    return bin == kColdBin ? cold_ : histogram_[bin];
  }

  DistanceBins bins_;
  StackDistance stack_;
  std::vector<AccessCounts> histogram_;
  AccessCounts cold_;
  std::uint32_t request_bin_ = 0;  // the largest of the request under way
};

}  // namespace rigel
