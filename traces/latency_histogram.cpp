#include "traces/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rigel {

namespace {
// Values below 2^(kSubBits+1) have a bucket each; each power of two above has 2^kSubBits.
constexpr std::size_t bucket_count(unsigned sub_bits) {
  return (std::size_t{64} - sub_bits) << sub_bits;
}
}  // namespace

LatencyHistogram::LatencyHistogram() : counts_(bucket_count(kSubBits)) {}

std::size_t LatencyHistogram::index_of(std::uint64_t value) {
  const unsigned width = static_cast<unsigned>(std::bit_width(value));
  const unsigned shift = width > kSubBits + 1 ? width - (kSubBits + 1) : 0;
  return (std::size_t{shift} << kSubBits) + (value >> shift);
}

std::uint64_t LatencyHistogram::low_of(std::size_t index) {
  const std::size_t shift = index >> kSubBits;
  if (shift < 2) return index;
  return (index - ((shift - 1) << kSubBits)) << (shift - 1);
}

void LatencyHistogram::add(std::int64_t latency_ns, std::uint64_t count) {
  if (count == 0) return;
  const std::int64_t value = std::max<std::int64_t>(latency_ns, 0);
  counts_[index_of(static_cast<std::uint64_t>(value))] += count;
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  count_ += count;
  const double v = static_cast<double>(value);
  sum_ += v * static_cast<double>(count);
  sum_of_squares_ += v * v * static_cast<double>(count);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  if (other.count_ == 0) return;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  count_ += other.count_;
  sum_ += other.sum_;
  sum_of_squares_ += other.sum_of_squares_;
}

double LatencyHistogram::mean_ns() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

double LatencyHistogram::stddev_ns() const {
  if (count_ == 0) return 0;
  const double mean = mean_ns();
  return std::sqrt(std::max(0.0, sum_of_squares_ / static_cast<double>(count_) - mean * mean));
}

std::int64_t LatencyHistogram::quantile_ns(double quantile) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count_));
  const std::uint64_t rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
  if (rank >= count_) return max_;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen < rank) continue;
    const auto middle = static_cast<std::int64_t>(low_of(i) + (low_of(i + 1) - low_of(i)) / 2);
    return std::clamp(middle, min_, max_);
  }
  return max_;
}

std::uint64_t LatencyHistogram::count_at_or_below(std::int64_t latency_ns) const {
  if (latency_ns < 0) return 0;
  const std::size_t last = index_of(static_cast<std::uint64_t>(latency_ns));
  std::uint64_t total = 0;
  for (std::size_t i = 0; i <= last; ++i) total += counts_[i];
  return total;
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::buckets() const {
  std::vector<Bucket> result;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    result.push_back({static_cast<std::int64_t>(low_of(i)),
                      static_cast<std::int64_t>(low_of(i + 1)), counts_[i]});
  }
  return result;
}

}  // namespace rigel
