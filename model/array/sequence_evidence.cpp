#include "model/array/sequence_evidence.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "model/array/resident_set.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::size_t kBins = 256;
constexpr std::int64_t kReordering = 512;  // reads a deep queue may move past each other

class Examiner {
 public:
  explicit Examiner(const SequenceOptions& options)
      : options_{options}, cache_{options.cache_bytes / options.page_bytes, true} {}

  void take(std::uint64_t offset) {
    note_offset(offset);
    const std::uint64_t page = offset / options_.page_bytes;
    const bool held = cache_.use(page, false);
    if (!held) cache_.add(page, false);
    const auto [known, is_new] = last_read_.try_emplace(page, position_);
    if (!is_new) {
      ++evidence_.rereads;
      if (held) ++evidence_.rereads_in_reach;
      const std::int64_t back = static_cast<std::int64_t>(position_ - known->second);
      if (std::abs(back - distance_back_) <= std::min(kReordering, back / 4)) {
        ++evidence_.rereads_in_sequence;
        distances_ += static_cast<double>(back);
        distance_squares_ += static_cast<double>(back) * static_cast<double>(back);
      }
      distance_back_ = back;
      known->second = position_;
    }
    ++position_;
  }

  SequenceEvidence finish() {
    evidence_.reads = position_;
    evidence_.distinct_pages = last_read_.size();
    const double n = static_cast<double>(position_);
    const double pages = static_cast<double>(options_.span_bytes) / options_.page_bytes;
    evidence_.expected_distinct = -pages * std::expm1(-n / pages);
    evidence_.cache_hit_ratio = static_cast<double>(evidence_.rereads_in_reach) / n;
    if (evidence_.rereads_in_sequence > 0) {
      const double repeats = static_cast<double>(evidence_.rereads_in_sequence);
      const double mean = distances_ / repeats;
      evidence_.sequence_distance = mean;
      evidence_.sequence_deviation =
          std::sqrt(std::max(0.0, distance_squares_ / repeats - mean * mean));
    }
    double chi_square = 0;
    const double each = n / kBins;
    for (const std::uint64_t count : bins_) {
      chi_square +=
          (static_cast<double>(count) - each) * (static_cast<double>(count) - each) / each;
    }
    evidence_.chi_square_p = boost::math::gamma_q((kBins - 1) / 2.0, chi_square / 2);
    const double mean = sum_ / n;
    const double variance = squares_ / n - mean * mean;
    if (variance > 0 && n > 2) {
      evidence_.serial_correlation = (products_ / (n - 1) - mean * mean) / variance;
      evidence_.serial_deviation = evidence_.serial_correlation * std::sqrt(n);
    }
    return evidence_;
  }

 private:
  void note_offset(std::uint64_t offset) {
    if (position_ == 0) evidence_.lowest_bytes = offset;
    evidence_.lowest_bytes = std::min(evidence_.lowest_bytes, offset);
    evidence_.highest_bytes = std::max(evidence_.highest_bytes, offset);
    evidence_.granularity_bytes = std::gcd(evidence_.granularity_bytes, offset);
    const double place = std::min(
        static_cast<double>(offset) / static_cast<double>(options_.span_bytes), 1 - 0x1p-53);
    ++bins_[static_cast<std::size_t>(place * kBins)];
    sum_ += place;
    squares_ += place * place;
    if (position_ > 0) products_ += place * previous_;
    previous_ = place;
  }

  SequenceOptions options_;
  ResidentSet cache_;
  std::unordered_map<std::uint64_t, std::uint64_t> last_read_;  // page -> number of the read
  std::uint64_t position_ = 0;
  std::int64_t distance_back_ = 0;
  double distances_ = 0;  // of re-reads in sequence
  double distance_squares_ = 0;
  std::array<std::uint64_t, kBins> bins_{};
  double sum_ = 0;
  double squares_ = 0;
  double products_ = 0;
  double previous_ = 0;
  SequenceEvidence evidence_;
};

}  // namespace

SequenceEvidence examine_sequence(TraceSource& trace, const SequenceOptions& options) {
  if (options.span_bytes == 0 || options.page_bytes == 0) throw UsageError{"a span of 0 bytes"};
  Examiner examiner{options};
  RecordBatch batch;
  std::optional<std::uint32_t> device;
  while (trace.next(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (batch.present.has(Column::kOp) && batch.op[i] != IoOp::kRead) continue;
      const std::uint32_t here = batch.present.has(Column::kDevice) ? batch.device[i] : 0;
      if (device.value_or(here) != here) {
        throw Error{"the trace holds reads of several devices; choose one with --device"};
      }
      device = here;
      examiner.take(batch.offset_bytes[i]);
    }
  }
  if (!device) throw Error{"the trace holds no reads"};
  return examiner.finish();
}

}  // namespace rigel
