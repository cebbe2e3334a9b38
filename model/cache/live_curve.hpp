// The LRU curve of I/O as it happens, in bounded memory, out of requests that a filter near the
// source (a kernel probe) has thinned out by page already.
//
//   LiveCurve live{{.page_bytes = 8192, .max_pages = 64 * 1024}};
//   // the filter lets through every request that touches a page whose hash is below threshold()
//   live.add(device, offset_bytes, length_bytes, write);  // tell the filter when threshold() moves
//   SampledCurve curve = live.curve(totals);              // of all I/O, which the filter counts
//
// It is SHARDS of fixed size (see shards.hpp): when the sample exceeds max_pages the threshold is
// halved and the pages above it are forgotten. Requests are cut into pages and looked at again, so
// a filter that still has an older threshold, or lets too much through, does no harm; one that
// holds back a page below the threshold does.
//
// The sample is eight by other bits of the same hash, each of an eighth of the pages: eight
// independent estimates, whose spread gives the interval (SampledCurve). Memory: at most
// some 80 bytes for each of max_pages.
// One thread at a time.
#pragma once

#include <array>
#include <cstdint>

#include "model/cache/page_sample.hpp"
#include "model/cache/sampled_curve.hpp"

namespace rigel {

struct LiveCurveOptions {
  std::uint32_t page_bytes = 8192;  // of the cache; as PageStreamOptions has it
  std::size_t max_pages = 1U << 16;
  double rate = 1;  // to begin with: the share of the pages, above 0 and at most 1
  std::uint64_t seed = 0;
};

class LiveCurve {
 public:
  // Throws UsageError for a page size, a rate or a number of pages (64 at least) that is not
  // allowed.
  explicit LiveCurve(const LiveCurveOptions& options);

  // What decides whether a page, offset_bytes / page_bytes of a device, is in the sample.
  [[nodiscard]] static constexpr std::uint64_t hash(std::uint32_t device, std::uint64_t page,
                                                    std::uint64_t seed) {
    return page_hash(std::uint64_t{device} << kPageNumberBits | page, seed);
  }
  // Never rises.
  [[nodiscard]] std::uint64_t threshold() const { return threshold_; }
  [[nodiscard]] double rate() const { return rate_; }

  // A request, perhaps only a part of whose pages are in the sample. One that ends beyond 2^64
  // bytes or 2^48 pages, or is of no length, is passed over.
  void add(std::uint32_t device, std::uint64_t offset_bytes, std::uint32_t length_bytes,
           bool write);

  // Of everything until now. `total` counts the pages and bytes of all requests, sampled or not;
  // without accesses the ratios are NaN.
  [[nodiscard]] SampledCurve curve(const AccessCounts& total);

 private:
  static constexpr std::size_t kParts = 8;  // a power of two

  [[nodiscard]] std::size_t pages() const;
  void settle(PageSample& part);

  std::uint32_t page_bytes_;
  std::size_t max_pages_;
  std::uint64_t seed_;
  double rate_;
  std::uint64_t threshold_;
  std::array<PageSample, kParts> parts_;
};

}  // namespace rigel
