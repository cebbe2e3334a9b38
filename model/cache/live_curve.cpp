#include "model/cache/live_curve.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "traces/error.hpp"

namespace rigel {

namespace {
constexpr std::size_t kBlock = 256;
constexpr std::size_t kFewestPages = 64;
}  // namespace

LiveCurve::LiveCurve(const LiveCurveOptions& options)
    : page_bytes_{options.page_bytes},
      max_pages_{options.max_pages},
      seed_{options.seed},
      rate_{options.rate},
      threshold_{threshold_of(options.rate)} {
  if (page_bytes_ < kMinPageBytes || page_bytes_ > kMaxPageBytes ||
      page_bytes_ % kMinPageBytes != 0) {
    throw UsageError{"a cache page must be a multiple of 512 bytes, up to 512 MiB"};
  }
  if (!(rate_ > 0 && rate_ <= 1)) {
    throw UsageError{"a sampling rate must be above 0 and at most 1"};
  }
  if (max_pages_ < kFewestPages) throw UsageError{"a live sample needs room for 64 pages"};
}

void LiveCurve::add(std::uint32_t device, std::uint64_t offset_bytes, std::uint32_t length_bytes,
                    bool write) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (length_bytes == 0 || offset_bytes > most - (length_bytes - 1)) return;
  const std::uint64_t last_byte = offset_bytes + (length_bytes - 1);
  if (last_byte / page_bytes_ >> kPageNumberBits != 0 || device >= kMaxDevices) return;
  for (std::uint64_t page = offset_bytes / page_bytes_; page <= last_byte / page_bytes_; ++page) {
    const std::uint64_t hashed = hash(device, page, seed_);
    if (hashed >= threshold_) continue;
    const std::uint64_t begin = std::max(offset_bytes, page * page_bytes_);
    const std::uint64_t end = std::min(last_byte, page * page_bytes_ + (page_bytes_ - 1));
    PageSample& part = parts_[hashed % kParts];
    part.add(std::uint64_t{device} << kPageNumberBits | page,
             {static_cast<std::uint32_t>(end - begin + 1), write, true});
    if (part.pending() == kBlock) settle(part);
  }
}

std::size_t LiveCurve::pages() const {
  std::size_t sum = 0;
  for (const PageSample& part : parts_) sum += part.pages();
  return sum;
}

void LiveCurve::settle(PageSample& part) {
  part.take(true);
  part.clear();
  while (pages() > max_pages_) {
    for (PageSample& other : parts_) {
      other.take(true);
      other.clear();
    }
    threshold_ /= 2;
    rate_ /= 2;
    for (PageSample& other : parts_) {
      other.halve([this](std::uint64_t page) { return page_hash(page, seed_) < threshold_; });
    }
  }
}

SampledCurve LiveCurve::curve(const AccessCounts& total) {
  std::vector<MissRatioCurve> curves;
  for (PageSample& part : parts_) settle(part);
  for (const PageSample& part : parts_) curves.push_back(part.curve({rate_ / kParts, total}));
  return {std::move(curves), std::nullopt, 0, false};
}

}  // namespace rigel
