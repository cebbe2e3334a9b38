#include "cli/live_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/live_output.hpp"
#include "traces/page_pieces.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr std::size_t kMostPages = 65536;
constexpr std::size_t kMostSizes = 8;
// A discard of a terabyte is no access; a write of so much is none that a cache would keep.
constexpr std::uint64_t kMostPagesOfOne = 16384;

// Powers of four of a MiB, the last of which holds `footprint_bytes`.
std::vector<std::uint64_t> sizes_up_to(double footprint_bytes) {
  std::vector<std::uint64_t> sizes{std::uint64_t{1} << 20};
  while (static_cast<double>(sizes.back()) < footprint_bytes) sizes.push_back(sizes.back() * 4);
  if (sizes.size() > kMostSizes) {
    sizes.erase(sizes.begin(), sizes.end() - static_cast<std::ptrdiff_t>(kMostSizes));
  }
  return sizes;
}

}  // namespace

LiveCurve::LiveCurve(std::int64_t interval_ns, std::uint64_t page_bytes)
    : interval_ns_{interval_ns},
      page_bytes_{page_bytes},
      sampler_{{.rate = 1, .max_pages = kMostPages, .seed = 0}} {}

void LiveCurve::write(const RecordBatch& batch, const TraceTables& tables) {
  spaces_.follow(tables.devices);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const IoRecord record = batch.record(i);
    if (record.op != IoOp::kRead && record.op != IoOp::kWrite) continue;
    const AddressSpaces::Place place = spaces_.of(record.device);
    const std::uint64_t begin = place.start_bytes + record.offset_bytes;
    const PageRange pages = pages_of(begin, record.length_bytes, page_bytes_);
    const std::uint64_t end = std::min(pages.end, pages.first + kMostPagesOfOne);
    for (std::uint64_t page = pages.first; page < end; ++page) {
      const auto bytes =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(page_bytes_, record.length_bytes));
      sampler_.access(place.device, page,
                      PageAccess{bytes, record.op == IoOp::kWrite, page + 1 == end});
    }
  }
}

std::string LiveCurve::text() {
  const MissRatioCurve curve = sampler_.curve();
  if (curve.total().all_pages() == 0) return {};
  const double footprint = curve.distinct_pages() * static_cast<double>(page_bytes_);
  std::string head = fmt::format("{:<16}", "LRU cache");
  std::string hits = fmt::format("{:<16}", "  hits so far");
  for (const std::uint64_t size : sizes_up_to(footprint)) {
    head += fmt::format(" {:>9}", format_bytes(size));
    hits += fmt::format(" {:>7.2f} %", 100 * curve.at(size / page_bytes_).page);
  }
  const std::string sample =
      sampler_.rate() < 1 ? fmt::format(", from {:.2g} % of them", 100 * sampler_.rate()) : "";
  return fmt::format("{}\n{}\n  {} touched in pages of {}{}\n\n", head, hits,
                     format_bytes(static_cast<std::uint64_t>(footprint)), format_bytes(page_bytes_),
                     sample);
}

void LiveCurve::tick(std::int64_t now_ns, const TraceTables&) {
  if (now_ns - printed_ns_ < interval_ns_) return;
  printed_ns_ = now_ns;
  print_live(text());
}

}  // namespace rigel
