#include "model/array/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "traces/error.hpp"

namespace rigel {
namespace {

bool moves_data(IoOp op) {
  return op == IoOp::kRead || op == IoOp::kWrite;
}

constexpr unsigned kDeviceSpaceBits = 48;
constexpr std::uint64_t kAskEvery = 4096;  // I/Os

// Where a device begins among the array's addresses: apart from the others, and at a stripe that
// has nothing to do with theirs, or their busy places would meet on one disk.
std::uint64_t base_of(std::uint32_t device, const ArrayConfig& config) {
  if (device == 0) return 0;
  const std::uint64_t unit =
      std::lcm(std::uint64_t{config.raid.stripe_bytes}, std::uint64_t{config.cache.page_bytes});
  constexpr std::uint64_t kOffsets = std::uint64_t{1} << (kDeviceSpaceBits - 1);
  // The finalizer of MurmurHash3 (A. Appleby).
  std::uint64_t hash = device * 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
  hash ^= hash >> 33;
  return (std::uint64_t{device} << kDeviceSpaceBits) + hash % (kOffsets / unit) * unit;
}

// A queue that has grown until the trace ends. What keeps up has a few I/Os of each disk waiting
// then, whatever the length of the trace; what does not takes a share of that length for them.
bool fell_behind(std::uint64_t waiting, std::int64_t behind_ns, std::int64_t trace_ns,
                 const DiskConfig& disks) {
  constexpr std::uint64_t kFewPerDisk = 16;
  constexpr std::int64_t kShare = 20;  // a twentieth
  return waiting > kFewPerDisk * disks.count * disks.units && behind_ns > trace_ns / kShare;
}

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

ArrayIo io_of(const IoRecord& record, const ArrayConfig& config) {
  const std::uint64_t space = std::uint64_t{1} << (kDeviceSpaceBits - 1);
  if (record.offset_bytes >= space || record.device >= 1U << 12) {
    throw Error{fmt::format("offset {} on device {} is beyond what can be simulated",
                            record.offset_bytes, record.device)};
  }
  return {base_of(record.device, config) + record.offset_bytes, record.length_bytes,
          record.op == IoOp::kWrite};
}

}  // namespace

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
  std::optional<LoadMeter> meter;
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

LoadResult run_open(ArraySimulator& array, TraceSource& trace, const OpenLoop& loop) {
  const double speed = loop.speed;
  if (!(speed > 0)) throw UsageError{fmt::format("speed {} makes no sense", speed)};
  TraceCursor cursor{trace};
  std::optional<std::int64_t> first_ns;
  std::int64_t now_ns = 0;
  std::uint64_t out = 0;
  std::uint64_t submitted = 0;
  const auto measured_from =
      static_cast<std::int64_t>(static_cast<double>(loop.warm_up_ns) / speed);
  std::optional<LoadMeter> meter;
  ArrayCompletion completion;
  const auto drain = [&](std::int64_t until_ns) {
    while (out > 0 && array.next_completion(until_ns, completion)) {
      now_ns = std::max(now_ns, completion.finish_ns);
      if (completion.start_ns >= measured_from) meter->add(completion);
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
    if (!meter && now_ns >= measured_from) meter.emplace(array, now_ns);
    array.submit(now_ns, io_of(*record, array.config()), 0);
    ++out;
    if (out > loop.most_outstanding || (++submitted % kAskEvery == 0 && !loop.go_on())) break;
  }
  const bool given_up = out > loop.most_outstanding;
  const std::uint64_t waiting = out;
  const std::int64_t last_ns = now_ns;
  if (!given_up && loop.go_on()) drain(ArraySimulator::kNever);
  if (!meter) meter.emplace(array, now_ns);
  LoadResult result = meter->result(now_ns);
  result.overloaded = given_up || fell_behind(waiting, now_ns - last_ns, last_ns - measured_from,
                                              array.config().disks);
  return result;
}

NextIo trace_ios(TraceSource& trace, const ArrayConfig& config) {
  return [cursor = std::make_shared<TraceCursor>(trace), config]() -> std::optional<ArrayIo> {
    const std::optional<IoRecord> record = cursor->next();
    if (!record) return std::nullopt;
    return io_of(*record, config);
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
