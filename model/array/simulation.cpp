#include "model/array/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/error.hpp"

namespace rigel {
namespace {

// Measures the difference between two moments of an array.
class Meter {
 public:
  Meter(const ArraySimulator& array, std::int64_t now_ns) : array_{array}, start_ns_{now_ns} {
    before_ = array.counters();
    for (unsigned disk = 0; disk < array.config().disks.count; ++disk) {
      disks_before_.push_back(array.disk_busy_ns(disk));
    }
  }

  void add(const ArrayCompletion& completion) {
    latency_.add(completion.finish_ns - completion.start_ns);
    bytes_ += completion.length_bytes;
    if (completion.write) return;
    ++reads_;
    if (completion.hit) ++hits_;
  }

  [[nodiscard]] std::uint64_t ios() const { return latency_.count(); }

  [[nodiscard]] LoadResult result(std::int64_t now_ns) const {
    LoadResult result;
    result.ios = latency_.count();
    result.duration_ns = now_ns - start_ns_;
    const double seconds = std::max(1.0, static_cast<double>(result.duration_ns)) * 1e-9;
    result.iops = static_cast<double>(result.ios) / seconds;
    result.bytes_per_second = static_cast<double>(bytes_) / seconds;
    result.hit_ratio = reads_ > 0 ? static_cast<double>(hits_) / static_cast<double>(reads_) : 0;
    result.latency = latency_;
    const double elapsed = seconds * 1e9;
    const ArrayCounters& after = array_.counters();
    const auto part = [&](const char* name, double busy, double most) {
      const double use = std::min(1.0, busy / (elapsed * most));
      result.parts.push_back({name, use, use});
    };
    part("link in", after.link_in_busy_ns - before_.link_in_busy_ns, 1);
    part("link out", after.link_out_busy_ns - before_.link_out_busy_ns, 1);
    part("controller", after.controller_busy_ns - before_.controller_busy_ns,
         array_.config().controller.cores);
    double sum = 0;
    double busiest = 0;
    for (unsigned disk = 0; disk < disks_before_.size(); ++disk) {
      const double busy = array_.disk_busy_ns(disk) - disks_before_[disk];
      const double use = std::min(1.0, busy / (elapsed * array_.config().disks.units));
      sum += use;
      busiest = std::max(busiest, use);
    }
    result.parts.push_back({"disks", sum / static_cast<double>(disks_before_.size()), busiest});
    return result;
  }

 private:
  const ArraySimulator& array_;
  std::int64_t start_ns_;
  ArrayCounters before_;
  std::vector<double> disks_before_;
  LatencyHistogram latency_;
  std::uint64_t bytes_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t hits_ = 0;
};

bool moves_data(IoOp op) {
  return op == IoOp::kRead || op == IoOp::kWrite;
}

constexpr unsigned kDeviceSpaceBits = 48;

// One record of a trace after the other.
class TraceCursor {
 public:
  explicit TraceCursor(TraceSource& trace) : trace_{trace} {}

  std::optional<IoRecord> next() {
    for (;;) {
      while (row_ < batch_.size()) {
        const IoRecord record = batch_.record(row_++);
        if (moves_data(record.op) && record.length_bytes > 0) return record;
      }
      row_ = 0;
      if (!trace_.next(batch_)) return std::nullopt;
    }
  }

 private:
  TraceSource& trace_;
  RecordBatch batch_;
  std::size_t row_ = 0;
};

ArrayIo io_of(const IoRecord& record) {
  const std::uint64_t space = std::uint64_t{1} << kDeviceSpaceBits;
  if (record.offset_bytes >= space || record.device >= 1U << 12) {
    throw Error{fmt::format("offset {} on device {} is beyond what can be simulated",
                            record.offset_bytes, record.device)};
  }
  return {record.offset_bytes + record.device * space, record.length_bytes,
          record.op == IoOp::kWrite};
}

}  // namespace

const PartUse& LoadResult::bottleneck() const {
  return *std::max_element(parts.begin(), parts.end(), [](const PartUse& a, const PartUse& b) {
    return a.utilisation < b.utilisation;
  });
}

LoadResult run_closed(ArraySimulator& array, const NextIo& next, const ClosedLoop& loop,
                      std::int64_t& now_ns) {
  if (loop.outstanding == 0) throw UsageError{"0 outstanding I/Os"};
  unsigned out = 0;
  const auto submit = [&] {
    if (const std::optional<ArrayIo> io = next()) {
      array.submit(now_ns, *io, 0);
      ++out;
    }
  };
  for (unsigned i = 0; i < loop.outstanding; ++i) submit();
  std::optional<Meter> meter;
  std::uint64_t warming = loop.warm_up_ios;
  if (warming == 0) meter.emplace(array, now_ns);
  ArrayCompletion completion;
  std::int64_t measured_until = now_ns;
  while (out > 0 && array.next_completion(ArraySimulator::kNever, completion)) {
    now_ns = completion.finish_ns;
    --out;
    if (meter && meter->ios() < loop.ios) {
      meter->add(completion);
      measured_until = now_ns;
      if (meter->ios() == loop.ios) break;
    } else if (!meter && --warming == 0) {
      meter.emplace(array, now_ns);
    }
    submit();
  }
  if (!meter) meter.emplace(array, now_ns);
  LoadResult result = meter->result(measured_until);
  result.outstanding = loop.outstanding;
  while (out > 0 && array.next_completion(ArraySimulator::kNever, completion)) {
    now_ns = completion.finish_ns;
    --out;
  }
  return result;
}

LoadResult run_open(ArraySimulator& array, TraceSource& trace, double speed) {
  if (!(speed > 0)) throw UsageError{fmt::format("speed {} makes no sense", speed)};
  TraceCursor cursor{trace};
  std::optional<std::int64_t> first_ns;
  std::int64_t now_ns = 0;
  std::uint64_t out = 0;
  Meter meter{array, 0};
  ArrayCompletion completion;
  const auto drain = [&](std::int64_t until_ns) {
    while (out > 0 && array.next_completion(until_ns, completion)) {
      now_ns = std::max(now_ns, completion.finish_ns);
      meter.add(completion);
      --out;
    }
  };
  while (const std::optional<IoRecord> record = cursor.next()) {
    if (record->start_ns() == kNoTime) {
      throw Error{"the trace has no times; give a number of outstanding I/Os instead"};
    }
    if (!first_ns) first_ns = record->start_ns();
    const double after = static_cast<double>(record->start_ns() - *first_ns) / speed;
    const std::int64_t arrival_ns = std::max(now_ns, static_cast<std::int64_t>(after));
    drain(arrival_ns);
    now_ns = std::max(now_ns, arrival_ns);
    array.submit(now_ns, io_of(*record), 0);
    ++out;
  }
  drain(ArraySimulator::kNever);
  LoadResult result = meter.result(now_ns);
  // Little's law over the whole run.
  result.outstanding = result.iops * result.latency.mean_ns() * 1e-9;
  return result;
}

NextIo trace_ios(TraceSource& trace) {
  return [cursor = std::make_shared<TraceCursor>(trace)]() -> std::optional<ArrayIo> {
    const std::optional<IoRecord> record = cursor->next();
    if (!record) return std::nullopt;
    return io_of(*record);
  };
}

void warm_up(ArraySimulator& array, AccessPattern& pattern, std::uint64_t limit) {
  const ResidentSet& cache = array.cache();
  std::uint64_t done = 0;
  while (done < limit && cache.size() < cache.capacity()) {
    array.warm(pattern.next());
    ++done;
  }
  for (std::uint64_t more = done; more > 0 && done < limit; --more, ++done) {
    array.warm(pattern.next());
  }
}

}  // namespace rigel
