#include "model/compare/blocked_samples.hpp"

#include <utility>

namespace rigel {
namespace {

void add_bins(std::vector<double>& sum, const std::vector<double>& bins) {
  if (sum.size() < bins.size()) sum.resize(bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i) sum[i] += bins[i];
}

}  // namespace

void BlockedSamples::merge_pairs() {
  for (std::size_t i = 0; i < blocks_.size(); i += 2) {
    if (i + 1 < blocks_.size()) add_bins(blocks_[i], blocks_[i + 1]);
    if (i != 0) blocks_[i / 2] = std::move(blocks_[i]);
  }
  blocks_.resize((blocks_.size() + 1) / 2);
}

BlockedSamples BlockedSamples::first_blocks(std::size_t count) const {
  if (count >= blocks_.size()) return *this;
  BlockedSamples part;
  part.blocks_.assign(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(count));
  for (const std::vector<double>& bins : part.blocks_) {
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      part.count_ += bins[bin];
      if (bin == kInfinite) {
        part.infinite_ += bins[bin];
      } else {
        part.sum_ += bins[bin] * static_cast<double>(log_bins::low_of(bin));
      }
    }
  }
  return part;
}

std::vector<double> BlockedSamples::histogram() const {
  std::vector<double> sum;
  for (const std::vector<double>& bins : blocks_) add_bins(sum, bins);
  return sum;
}

}  // namespace rigel
