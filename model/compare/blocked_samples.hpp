// Observations of one figure of a workload, counted in log_bins and kept apart by block: a stretch
// of consecutive records. Observations of one stretch depend on each other, those of different
// stretches hardly; so what varies from block to block is what chance can do to the whole. Memory:
// at most 30 KiB a block. Not thread safe; nothing throws but allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/compare/log_bins.hpp"

namespace rigel {

class BlockedSamples {
 public:
  // A bin above all values, for what is infinite.
  static constexpr std::size_t kInfinite = log_bins::kCount;

  void add(std::size_t block, std::uint64_t value, double weight = 1) {
    sum_ += static_cast<double>(value) * weight;
    add_to_bin(block, log_bins::index_of(value), weight);
  }
  // These are not part of the mean.
  void add_infinite(std::size_t block, double weight) {
    infinite_ += weight;
    add_to_bin(block, kInfinite, weight);
  }
  // Makes one block of each two neighbours.
  void merge_pairs();
  // Only blocks below `count`.
  [[nodiscard]] BlockedSamples first_blocks(std::size_t count) const;

  // By block, by bin; vectors end with their last bin in use, blocks with the last that was added
  // to.
  [[nodiscard]] const std::vector<std::vector<double>>& blocks() const { return blocks_; }
  [[nodiscard]] double count() const { return count_; }
  [[nodiscard]] double infinite() const { return infinite_; }
  // Of finite observations, exact; 0 of none.
  [[nodiscard]] double mean() const { return count_ > infinite_ ? sum_ / (count_ - infinite_) : 0; }
  // Over all blocks, by bin.
  [[nodiscard]] std::vector<double> histogram() const;

 private:
  void add_to_bin(std::size_t block, std::size_t bin, double weight) {
    if (block >= blocks_.size()) blocks_.resize(block + 1);
    std::vector<double>& bins = blocks_[block];
    if (bin >= bins.size()) bins.resize(bin + 1);
    bins[bin] += weight;
    count_ += weight;
  }

  std::vector<std::vector<double>> blocks_;
  double count_ = 0;
  double infinite_ = 0;
  double sum_ = 0;
};

}  // namespace rigel
