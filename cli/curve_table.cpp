#include "cli/curve_table.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/live_output.hpp"
#include "traces/page_pieces.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr std::size_t kMostSizes = 8;

// Powers of four of a MiB, the last of which holds `footprint_bytes`.
std::vector<std::uint64_t> sizes_up_to(double footprint_bytes) {
  std::vector<std::uint64_t> sizes{std::uint64_t{1} << 20};
  while (static_cast<double>(sizes.back()) < footprint_bytes) sizes.push_back(sizes.back() * 4);
  if (sizes.size() > kMostSizes) {
    sizes.erase(sizes.begin(), sizes.end() - static_cast<std::ptrdiff_t>(kMostSizes));
  }
  return sizes;
}

AccessCounts counts_of(const page_accesses& all) {
  AccessCounts counts;
  counts.pages = {static_cast<double>(all.read_pages), static_cast<double>(all.write_pages)};
  counts.bytes = {static_cast<double>(all.read_bytes), static_cast<double>(all.write_bytes)};
  return counts;
}

}  // namespace

CurveTable::CurveTable(std::int64_t interval_ns, std::uint32_t page_bytes)
    : interval_ns_{interval_ns}, page_bytes_{page_bytes}, curve_{{.page_bytes = page_bytes}} {}

std::string CurveTable::text(const AccessCounts& total) {
  if (total.all_pages() == 0) return {};
  const SampledCurve curve = curve_.curve(total);
  const double footprint = curve.distinct_pages() * page_bytes_;
  std::string head = fmt::format("{:<16}", "LRU cache");
  std::string hits = fmt::format("{:<16}", "  hits so far");
  std::string low = fmt::format("{:<16}", "  at least");
  std::string high = fmt::format("{:<16}", "  at most");
  for (const std::uint64_t size : sizes_up_to(footprint)) {
    const EstimatedRatios ratios = curve.at(size / page_bytes_);
    head += fmt::format(" {:>9}", format_bytes(size));
    hits += fmt::format(" {:>7.2f} %", 100 * ratios.mean.page);
    low += fmt::format(" {:>7.2f} %", 100 * ratios.low);
    high += fmt::format(" {:>7.2f} %", 100 * ratios.high);
  }
  return fmt::format(
      "{}\n{}\n{}\n{}\n  about {} touched in pages of {}{}\n\n", head, hits, low, high,
      format_bytes(static_cast<std::uint64_t>(footprint)), format_bytes(page_bytes_),
      curve_.rate() < 1 ? fmt::format(", from {:.2g} % of them", 100 * curve_.rate()) : "");
}

void CurveTable::tick(std::int64_t now_ns, const AccessCounts& total) {
  if (now_ns - printed_ns_ < interval_ns_) return;
  printed_ns_ = now_ns;
  print(total);
}

void CurveTable::print(const AccessCounts& total) {
  print_live(text(total));
}

void RecordedCurve::write(const RecordBatch& batch, const TraceTables& tables) {
  spaces_.follow(tables.devices);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const IoRecord record = batch.record(i);
    if (record.op != IoOp::kRead && record.op != IoOp::kWrite) continue;
    const bool is_write = record.op == IoOp::kWrite;
    const AddressSpaces::Place place = spaces_.of(record.device);
    const std::uint64_t begin = place.start_bytes + record.offset_bytes;
    table_.curve().add(place.device, begin, record.length_bytes, is_write);
    total_.pages[is_write ? 1 : 0] +=
        static_cast<double>(pages_of(begin, record.length_bytes, page_bytes_).count());
    total_.bytes[is_write ? 1 : 0] += record.length_bytes;
  }
}

void KernelCurve::tick(std::int64_t now_ns, const page_accesses& all) {
  table_.tick(now_ns, counts_of(all));
}

void KernelCurve::finish(const page_accesses& all) {
  table_.print(counts_of(all));
}

std::vector<DiskSpace> spaces_of(const std::vector<BlockDevice>& disks) {
  std::vector<DeviceInfo> devices;
  for (const BlockDevice& disk : disks) devices.push_back(disk.info);
  AddressSpaces spaces;
  spaces.follow(devices);
  std::vector<DiskSpace> placed;
  for (std::uint32_t i = 0; i < disks.size(); ++i) {
    placed.push_back({.number = disks[i].number, .space = spaces.of(i).device});
  }
  return placed;
}

}  // namespace rigel
