#include "model/compare/size_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigel {
namespace {

constexpr std::size_t kMostSizes = 60;
constexpr double kSlices = 100;
constexpr double kSmallSector = 512;
constexpr double kLargeSector = 4096;

// The sector that all but a hundredth of the lengths are whole ones of.
double sector_of(const BlockedSamples& lengths) {
  const std::vector<double> histogram = lengths.histogram();
  double odd = 0;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    if (log_bins::low_of(bin) % static_cast<std::uint64_t>(kLargeSector) != 0) {
      odd += histogram[bin];
    }
  }
  return odd < 0.01 * lengths.count() ? kLargeSector : kSmallSector;
}

std::uint64_t whole_sectors(double bytes, double sector) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(bytes / sector)) * sector);
}

void add(std::vector<SizeShare>& sizes, std::uint64_t bytes) {
  if (!sizes.empty() && sizes.back().bytes == bytes) {
    ++sizes.back().percent;
  } else {
    sizes.push_back({bytes, 1});
  }
}

// The two neighbours that differ least become one of their mean.
void merge_nearest(std::vector<SizeShare>& sizes, double sector) {
  const auto ratio = [&](std::size_t i) {
    return static_cast<double>(sizes[i + 1].bytes) / static_cast<double>(sizes[i].bytes);
  };
  std::size_t nearest = 0;
  for (std::size_t i = 1; i + 1 < sizes.size(); ++i) {
    if (ratio(i) < ratio(nearest)) nearest = i;
  }
  SizeShare& low = sizes[nearest];
  const SizeShare& high = sizes[nearest + 1];
  const double bytes =
      static_cast<double>(low.bytes) * low.percent + static_cast<double>(high.bytes) * high.percent;
  low.percent += high.percent;
  low.bytes = whole_sectors(bytes / low.percent, sector);
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(nearest) + 1);
}

}  // namespace

std::vector<SizeShare> size_split(const BlockedSamples& lengths) {
  std::vector<SizeShare> sizes;
  const std::vector<double> histogram = lengths.histogram();
  const double sector = sector_of(lengths);
  const double slice = lengths.count() / kSlices;
  double bytes = 0;  // of the slice under way
  double left = slice;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    const auto length = static_cast<double>(log_bins::low_of(bin));
    for (double requests = histogram[bin]; requests > 0;) {
      const double take = std::min(requests, left);
      bytes += take * length;
      requests -= take;
      left -= take;
      if (left > 1e-9 * slice) continue;
      add(sizes, whole_sectors(bytes / slice, sector));
      bytes = 0;
      left = slice;
    }
  }
  while (sizes.size() > kMostSizes) merge_nearest(sizes, sector);
  return sizes;
}

std::string bssplit_text(const std::vector<SizeShare>& sizes) {
  std::string text;
  for (const SizeShare& size : sizes) {
    text += fmt::format("{}{}/{}", text.empty() ? "" : ":", size.bytes, size.percent);
  }
  return text;
}

SizeShare main_size(const std::vector<SizeShare>& sizes) {
  SizeShare main;
  for (const SizeShare& size : sizes) {
    if (size.percent > main.percent) main = size;
  }
  return main;
}

}  // namespace rigel
