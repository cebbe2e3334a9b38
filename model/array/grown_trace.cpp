#include "model/array/grown_trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "traces/clock_shift.hpp"
#include "traces/error.hpp"
#include "traces/page_sampler.hpp"
#include "traces/trace_merger.hpp"

namespace rigel {
namespace {

constexpr std::uint64_t kSampledBytes = 64 << 10;  // neighbours stay neighbours
constexpr std::int64_t kBetweenCopiesNs = 1'000'000;

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

std::unique_ptr<TraceSource> grown_trace(const std::function<std::unique_ptr<TraceSource>()>& open,
                                         double growth) {
  if (!(growth > 0 && growth <= kMostGrownData)) {
    throw UsageError{
        fmt::format("data can grow up to {:.0f} times, not {:g} times", kMostGrownData, growth)};
  }
  std::vector<std::unique_ptr<TraceSource>> copies;
  const double whole = std::floor(growth + 1e-9);
  for (std::uint64_t copy = 0; static_cast<double>(copy) < growth - 1e-9; ++copy) {
    std::unique_ptr<TraceSource> source = open();
    if (static_cast<double>(copy) >= whole) {
      source = sample_pages(std::move(source), growth - whole, kSampledBytes);
    }
    source = std::make_unique<OwnDevices>(std::move(source), copy);
    copies.push_back(
        shift_clock(std::move(source), static_cast<std::int64_t>(copy) * kBetweenCopiesNs));
  }
  if (copies.size() == 1) return std::move(copies.front());
  const std::vector<std::string> names(copies.size(), "a copy of the trace");
  return merge_traces(std::move(copies), names);
}

}  // namespace rigel
