#include "traces/footprint.hpp"

#include <roaring/roaring.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "traces/uniform_coverage.hpp"

namespace rigel {
namespace {

constexpr std::uint64_t kChunkPages = std::uint64_t{1} << 32;
// Below this, single insertions are faster than a range.
constexpr std::uint64_t kRangePages = 16;

struct FreeBitmap {
  void operator()(roaring_bitmap_t* bitmap) const { roaring_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<roaring_bitmap_t, FreeBitmap>;

}  // namespace

struct PageSet::Chunks {
  std::map<std::uint64_t, Bitmap> bitmaps;
};

PageSet::PageSet() : chunks_{std::make_unique<Chunks>()} {}
PageSet::~PageSet() = default;
PageSet::PageSet(PageSet&&) noexcept = default;
PageSet& PageSet::operator=(PageSet&&) noexcept = default;

void PageSet::add(PageRange pages) {
  while (pages.first < pages.end) {
    const std::uint64_t chunk = pages.first / kChunkPages;
    Bitmap& bitmap = chunks_->bitmaps[chunk];
    if (!bitmap) bitmap.reset(roaring_bitmap_create());
    const std::uint64_t end = std::min(pages.end - chunk * kChunkPages, kChunkPages);
    std::uint64_t page = pages.first % kChunkPages;
    if (end - page < kRangePages) {
      for (; page < end; ++page) roaring_bitmap_add(bitmap.get(), static_cast<std::uint32_t>(page));
    } else {
      roaring_bitmap_add_range_closed(bitmap.get(), static_cast<std::uint32_t>(page),
                                      static_cast<std::uint32_t>(end - 1));
    }
    pages.first = chunk * kChunkPages + end;
  }
}

std::uint64_t PageSet::count() const {
  std::uint64_t total = 0;
  for (const auto& [chunk, bitmap] : chunks_->bitmaps) {
    total += roaring_bitmap_get_cardinality(bitmap.get());
  }
  return total;
}

std::uint64_t PageSet::count_union(const PageSet& other) const {
  std::uint64_t total = count() + other.count();
  for (const auto& [chunk, bitmap] : chunks_->bitmaps) {
    const auto same = other.chunks_->bitmaps.find(chunk);
    if (same == other.chunks_->bitmaps.end()) continue;
    total -= roaring_bitmap_and_cardinality(bitmap.get(), same->second.get());
  }
  return total;
}

void PageAccesses::add(std::uint64_t offset_bytes, std::uint32_t length_bytes,
                       std::uint64_t page_bytes) {
  const PageRange pages = pages_of(offset_bytes, length_bytes, page_bytes);
  if (pages.count() == 0) return;
  distinct.add(pages);
  span.first = accesses == 0 ? pages.first : std::min(span.first, pages.first);
  span.end = std::max(span.end, pages.end);
  accesses += pages.count();
  ++sizes[pages.count()];
  if (alignment_bytes == 0 || offset_bytes % alignment_bytes != 0 ||
      length_bytes % alignment_bytes != 0) {
    alignment_bytes =
        std::gcd(alignment_bytes, std::gcd(offset_bytes, std::uint64_t{length_bytes}));
  }
}

double Reuse::ratio_of(double distinct_pages) const {
  return accesses == 0 ? 0 : 1 - distinct_pages / static_cast<double>(accesses);
}

UniformInterval Reuse::uniform_interval() const {
  constexpr double kNormal95 = 1.959964;
  const double half_width = kNormal95 * uniform_deviation;
  return {std::max(0.0, ratio_of(uniform_distinct + half_width)),
          ratio_of(std::max(0.0, uniform_distinct - half_width))};
}

void Reuse::add(const Reuse& other) {
  accesses += other.accesses;
  distinct += other.distinct;
  span += other.span;
  uniform_distinct += other.uniform_distinct;
  const bool known = uniform_deviation >= 0 && other.uniform_deviation >= 0;
  uniform_deviation = known ? std::hypot(uniform_deviation, other.uniform_deviation) : -1;
}

Reuse reuse_of(const PageAccesses& accesses, std::uint64_t page_bytes) {
  Reuse result;
  result.accesses = accesses.accesses;
  result.distinct = accesses.distinct.count();
  result.span = accesses.span.count();
  const bool blocks = accesses.alignment_bytes != 0 && accesses.alignment_bytes % page_bytes == 0;
  const std::uint64_t block = blocks ? accesses.alignment_bytes / page_bytes : 1;
  std::map<std::uint64_t, std::uint64_t> requests;
  for (const auto& [pages, count] : accesses.sizes) requests[pages / block] += count;
  const Coverage coverage = uniform_coverage(result.span / block, requests);
  const auto scale = static_cast<double>(block);
  result.uniform_distinct = coverage.mean_pages * scale;
  result.uniform_deviation =
      coverage.variance_pages2 ? std::sqrt(*coverage.variance_pages2) * scale : -1;
  return result;
}

}  // namespace rigel
