#include "model/array/grown_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traces/clock_shift.hpp"
#include "traces/error.hpp"
#include "traces/page_sampler.hpp"
#include "traces/record_filter.hpp"
#include "traces/trace_merger.hpp"

namespace rigel {
namespace {

constexpr std::uint64_t kSampledBytes = 64 << 10;  // neighbours stay neighbours
constexpr double kGoldenRatio = 0.6180339887498949;

// When the I/Os of a trace begin, and how long one pass takes until the next can follow.
struct Span {
  std::int64_t first_ns = 0;
  std::int64_t length_ns = 0;
};

// Nothing for a trace without times.
std::optional<Span> span_of(TraceSource& trace) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  std::int64_t records = 0;
  RecordBatch batch;
  while (trace.next(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::int64_t start = batch.record(i).start_ns();
      if (start == kNoTime) continue;
      first = std::min(first, start);
      last = std::max(last, start);
      ++records;
    }
  }
  if (records == 0) return std::nullopt;
  const std::int64_t length = last - first;
  return Span{first, length + length / std::max<std::int64_t>(1, records - 1)};
}

using Open = std::function<std::unique_ptr<TraceSource>()>;

// A trace that begins in its middle and goes round: what lies before `phase_ns` comes after the
// end. One of the two parts is open at a time.
class RoundTrace final : public TraceSource {
 public:
  RoundTrace(const Open& open, const Span& span, std::int64_t phase_ns)
      : open_rest_{[open, span, phase_ns] {
          FilterCriteria before;
          before.to_ns = span.first_ns + phase_ns;
          return shift_clock(filter_records(open(), before), span.length_ns - phase_ns);
        }} {
    FilterCriteria from_there;
    from_there.from_ns = span.first_ns + phase_ns;
    source_ = shift_clock(filter_records(open(), from_there), -phase_ns);
  }

  bool next(RecordBatch& batch) override {
    if (source_->next(batch)) return true;
    if (!open_rest_) return false;
    // The first part was read to the end of the trace: its tables are all there are.
    tables_ = source_->tables();
    source_ = open_rest_();
    open_rest_ = nullptr;
    return source_->next(batch);
  }
  [[nodiscard]] const TraceTables& tables() const override {
    return open_rest_ ? source_->tables() : tables_;
  }

 private:
  std::unique_ptr<TraceSource> source_;
  Open open_rest_;  // until it is open
  TraceTables tables_;
};

// A copy's devices are no others': a merge takes what is called alike for one.
class OwnDevices final : public TraceSource {
 public:
  OwnDevices(std::unique_ptr<TraceSource> source, std::uint64_t copy)
      : source_{std::move(source)}, suffix_{fmt::format("~{}", copy)} {
    rename();
  }

  bool next(RecordBatch& batch) override {
    const bool more = source_->next(batch);
    rename();
    return more;
  }
  [[nodiscard]] const TraceTables& tables() const override { return tables_; }

 private:
  void rename() {
    tables_ = source_->tables();
    for (DeviceInfo& device : tables_.devices) {
      device.name += suffix_;
      device.wwid.clear();
    }
  }

  std::unique_ptr<TraceSource> source_;
  std::string suffix_;
  TraceTables tables_;
};

}  // namespace

std::unique_ptr<TraceSource> grown_trace(const Open& open, double growth) {
  if (!(growth > 0 && growth <= kMostGrownData)) {
    throw UsageError{
        fmt::format("data can grow up to {:.0f} times, not {:g} times", kMostGrownData, growth)};
  }
  const std::optional<Span> span = growth > 1 ? span_of(*open()) : std::nullopt;
  std::vector<std::unique_ptr<TraceSource>> copies;
  const double whole = std::floor(growth + 1e-9);
  for (std::uint64_t copy = 0; static_cast<double>(copy) < growth - 1e-9; ++copy) {
    const Open part = static_cast<double>(copy) < whole ? open : [open, share = growth - whole] {
      return sample_pages(open(), share, kSampledBytes);
    };
    double phase = static_cast<double>(copy) * kGoldenRatio;
    phase -= std::floor(phase);
    std::unique_ptr<TraceSource> source =
        span && copy > 0
            ? std::make_unique<RoundTrace>(
                  part, *span,
                  static_cast<std::int64_t>(phase * static_cast<double>(span->length_ns)))
            : part();
    copies.push_back(std::make_unique<OwnDevices>(std::move(source), copy));
  }
  if (copies.size() == 1) return std::move(copies.front());
  const std::vector<std::string> names(copies.size(), "a copy of the trace");
  return merge_traces(std::move(copies), names);
}

}  // namespace rigel
