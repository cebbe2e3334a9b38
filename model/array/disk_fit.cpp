#include "model/array/disk_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "model/array/array_simulator.hpp"
#include "model/array/disk_buffer.hpp"
#include "model/array/robust_line.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kBytesPerMib = 1 << 20;
constexpr std::uint64_t kStripe = 16 << 20;

// What the arm had to do for a request, as a regression sees it; times in ms, sizes in MiB.
enum Term : std::size_t { kConstant, kMoved, kRoot, kLinear, kLength, kWrite, kTerms };
using Arm = RobustLine<kTerms>;
enum BufferTerm : std::size_t { kBufferConstant, kBufferLength, kBufferTerms };
using Buffered = RobustLine<kBufferTerms>;

struct Buffer {
  unsigned segments = 0;
  std::uint64_t segment_bytes = 0;
  ReadAhead read_ahead = ReadAhead::kSegment;
};

// What is taken as given while the rest is fitted.
struct Assumed {
  Buffer buffer;
  bool write_buffer = false;
  unsigned heads = 1;
  double rpm = 0;
  double ns_per_byte = 0;
  [[nodiscard]] double track_bytes() const { return 60e9 / rpm / ns_per_byte; }
  [[nodiscard]] double cylinder_bytes() const { return heads * track_bytes(); }
  [[nodiscard]] DiskBuffer::Shape shape() const {
    std::uint64_t stop = 0;
    if (buffer.read_ahead != ReadAhead::kSegment) {
      stop = static_cast<std::uint64_t>(buffer.read_ahead == ReadAhead::kTrack ? track_bytes()
                                                                               : cylinder_bytes());
    }
    return {buffer.segments, buffer.segment_bytes, stop, buffer.read_ahead == ReadAhead::kAround};
  }
};

struct Regressions {
  Arm arm;
  Buffered reads;   // from the buffer
  Buffered writes;  // into it
};

double span_of(std::span<const DiskRequest> requests) {
  std::uint64_t span = kStripe;
  for (const DiskRequest& request : requests) {
    span = std::max(span, request.offset_bytes + request.length_bytes);
  }
  return static_cast<double>((span + kStripe - 1) / kStripe * kStripe);
}

RobustSample<kBufferTerms> buffered_sample(const DiskRequest& request) {
  return {{1, request.length_bytes / kBytesPerMib},
          static_cast<double>(request.response_ns) / kNsPerMs};
}

// Plays the recording through the buffer, at the recorded times, and sets each request's time
// against what the arm or the buffer had to do for it.
Regressions regress(std::span<const DiskRequest> requests, double span, const Assumed& assumed) {
  DiskBuffer buffer{assumed.shape(), assumed.ns_per_byte};
  std::vector<RobustSample<kTerms>> arm;
  std::vector<RobustSample<kBufferTerms>> reads;
  std::vector<RobustSample<kBufferTerms>> writes;
  double head = 0;
  std::int64_t now_ns = 0;
  for (const DiskRequest& request : requests) {
    now_ns += request.idle_ns;
    const std::int64_t done_ns = now_ns + request.response_ns;
    const double offset = static_cast<double>(request.offset_bytes);
    const auto there = request.write
                           ? std::nullopt
                           : buffer.find(now_ns, request.offset_bytes, request.length_bytes);
    if (there) {
      if (*there <= now_ns) reads.push_back(buffered_sample(request));
    } else {
      buffer.arm_leaves(now_ns);
      if (request.write) {
        buffer.write(request.offset_bytes, request.length_bytes);
      } else {
        buffer.read(done_ns, request.offset_bytes, request.length_bytes);
      }
      if (request.write && assumed.write_buffer) {
        writes.push_back(buffered_sample(request));
      } else {
        const double cylinder = std::floor(offset / assumed.cylinder_bytes());
        const bool moved = cylinder != std::floor(head / assumed.cylinder_bytes());
        const double distance = moved ? std::abs(offset - head) / span : 0;
        arm.push_back({{1, moved ? 1.0 : 0.0, std::sqrt(distance), distance,
                        request.length_bytes / kBytesPerMib, request.write ? 1.0 : 0.0},
                       static_cast<double>(request.response_ns) / kNsPerMs});
      }
      head = offset + request.length_bytes;
    }
    now_ns = done_ns;
  }
  if (arm.size() < 200) {
    throw Error{fmt::format("only {} of {} requests moved the arm; at least 200 are needed",
                            arm.size(), requests.size())};
  }
  return {robust_line(arm), robust_line(reads), robust_line(writes)};
}

// A buffered write waits for no seek and no part of a turn, wherever it goes: half of those that
// are far from the request before take less than half of what such reads do.
bool writes_are_buffered(std::span<const DiskRequest> requests, double span) {
  std::vector<std::int64_t> reads;
  std::vector<std::int64_t> writes;
  std::uint64_t head = 0;
  for (const DiskRequest& request : requests) {
    const double distance =
        std::abs(static_cast<double>(request.offset_bytes) - static_cast<double>(head));
    head = request.offset_bytes + request.length_bytes;
    if (distance < span / 100) continue;
    (request.write ? writes : reads).push_back(request.response_ns);
  }
  const auto median = [](std::vector<std::int64_t>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  return !reads.empty() && !writes.empty() && 2 * median(writes) < median(reads);
}

std::int64_t to_ns(double ms) {
  return std::max<std::int64_t>(0, std::llround(ms * 1000)) * 1000;
}

ArrayConfig array_of(const Regressions& found, const Assumed& assumed, double span) {
  ArrayConfig array;
  array.raid.stripe_bytes = kStripe;
  DiskConfig& disk = array.disks;
  disk.law = ServiceLaw::kMechanical;
  disk.bytes = static_cast<std::uint64_t>(span);
  disk.rpm = assumed.rpm;
  const auto& c = found.arm.coefficients;
  const double half_turn = 30e3 / assumed.rpm;
  disk.bytes_per_second = std::round(kBytesPerMib / std::max(c[kLength], 1e-3) * 1000);
  disk.overhead_ns = to_ns(c[kConstant] - half_turn);
  disk.seek_single_ns = to_ns(c[kMoved]);
  // The means over random pairs, see DiskMechanism.
  disk.seek_average_ns =
      std::max(disk.seek_single_ns, to_ns(c[kMoved] + c[kRoot] * 8 / 15 + c[kLinear] / 3));
  disk.seek_full_ns = std::max(disk.seek_average_ns, to_ns(c[kMoved] + c[kRoot] + c[kLinear]));
  disk.heads = assumed.heads;
  disk.read_ahead = assumed.buffer.read_ahead;
  disk.buffer_segments = assumed.buffer.segments;
  disk.buffer_segment_bytes = assumed.buffer.segment_bytes;
  disk.buffer_time_ns = to_ns(found.reads.coefficients[kBufferConstant]);
  const double length = found.reads.coefficients[kBufferLength];
  disk.interface_bytes_per_second = length > 1e-3 ? std::round(kBytesPerMib / length * 1000) : 0;
  disk.write_buffer = assumed.write_buffer && assumed.buffer.segments > 0;
  disk.write_overhead_ns = assumed.write_buffer ? to_ns(found.writes.coefficients[kBufferConstant])
                                                : to_ns(c[kConstant] + c[kWrite] - half_turn);
  return array;
}

std::vector<std::int64_t> responses(std::span<const DiskRequest> requests) {
  std::vector<std::int64_t> times;
  for (const DiskRequest& request : requests) times.push_back(request.response_ns);
  return times;
}

constexpr unsigned kRunsWhileFitting = 3;
constexpr unsigned kRunsToJudge = 8;
constexpr std::array kRpms{3600.0, 4500.0, 5400.0,  5900.0,  6400.0,
                           7200.0, 7600.0, 10000.0, 12000.0, 15000.0};
constexpr double kRpmTolerance = 0.09;  // of the logarithm
constexpr std::array<unsigned, 5> kSegments{1, 2, 3, 6, 16};
constexpr std::array<std::uint64_t, 5> kSegmentSizes{32 << 10, 64 << 10, 128 << 10, 256 << 10,
                                                     512 << 10};
constexpr std::array<unsigned, 10> kHeads{1, 2, 3, 4, 5, 6, 8, 12, 16, 24};

// The angle at which a block is found is anything from nothing to a turn: eight tenths of a turn
// lie between the tenth and the ninetieth percentile of what seek and transfer leave open.
double turn_ms(const Arm& arm) {
  std::vector<double> sorted = arm.residuals;
  std::sort(sorted.begin(), sorted.end());
  return (sorted[sorted.size() * 9 / 10] - sorted[sorted.size() / 10]) / 0.8;
}

class Search {
 public:
  Search(std::span<const DiskRequest> requests, double span)
      : requests_{requests}, span_{span}, measured_{responses(requests)} {
    at_.write_buffer = writes_are_buffered(requests, span_);
    at_.buffer = {4, 128 << 10, ReadAhead::kSegment};
    at_.heads = 8;
    at_.rpm = 7200;
    at_.ns_per_byte = 250;
    // What these are matters little to what the arm's times say of them.
    const Arm arm = regress(requests_, span_, at_).arm;
    at_.ns_per_byte = std::max(1.0, arm.coefficients[kLength] * kNsPerMs / kBytesPerMib);
    turn_ms_ = turn_ms(arm);
    at_.rpm = *std::min_element(kRpms.begin(), kRpms.end(), [this](double a, double b) {
      return distance_to(a) < distance_to(b);
    });
  }

  // One thing after the other, twice, since each depends a little on the others.
  ArrayConfig run() {
    for (int round = 0; round < 2; ++round) {
      try_buffers();
      try_heads();
      try_rpms();
    }
    return *best_;
  }

 private:
  [[nodiscard]] double distance_to(double rpm) const {
    return std::abs(std::log(60e3 / rpm / turn_ms_));
  }

  void attempt(const Assumed& candidate) {
    const ArrayConfig array = array_of(regress(requests_, span_, candidate), candidate, span_);
    const double cost =
        demerit_ns(measured_, simulated_responses(array, requests_, kRunsWhileFitting));
    if (best_ && cost >= least_) return;
    least_ = cost;
    best_ = array;
    at_ = candidate;
  }
  void try_buffers() {
    const Assumed from = at_;
    for (const ReadAhead read_ahead :
         {ReadAhead::kTrack, ReadAhead::kCylinder, ReadAhead::kSegment, ReadAhead::kAround}) {
      for (const unsigned segments : kSegments) {
        for (const std::uint64_t bytes : kSegmentSizes) {
          Assumed candidate = from;
          candidate.buffer = {segments, bytes, read_ahead};
          attempt(candidate);
        }
      }
    }
  }
  void try_heads() {
    const Assumed from = at_;
    for (const unsigned heads : kHeads) {
      Assumed candidate = from;
      candidate.heads = heads;
      attempt(candidate);
    }
  }
  // Those that what was measured leaves open.
  void try_rpms() {
    const Assumed from = at_;
    for (const double rpm : kRpms) {
      if (distance_to(rpm) > kRpmTolerance) continue;
      Assumed candidate = from;
      candidate.rpm = rpm;
      attempt(candidate);
    }
  }

  std::span<const DiskRequest> requests_;
  double span_;
  std::vector<std::int64_t> measured_;
  double turn_ms_ = 0;
  Assumed at_;
  std::optional<ArrayConfig> best_;
  double least_ = 0;
};

}  // namespace

std::vector<DiskRequest> disk_requests(TraceSource& trace, const std::string& name) {
  std::vector<DiskRequest> requests;
  RecordBatch batch;
  std::optional<std::int64_t> before_ns;
  std::optional<std::uint32_t> device;
  std::size_t overlapping = 0;
  while (trace.next(batch)) {
    for (std::size_t row = 0; row < batch.size(); ++row) {
      const IoRecord record = batch.record(row);
      if (record.op != IoOp::kRead && record.op != IoOp::kWrite) continue;
      if (record.length_bytes == 0) continue;
      if (record.start_ns() == kNoTime || record.complete_ns == kNoTime) {
        throw Error{name + ": a disk is fitted to response times; there is a record without"};
      }
      if (device && *device != record.device) {
        throw Error{
            name +
            ": more than one device; take out one disk's records with 'rigel convert --device'"};
      }
      device = record.device;
      std::int64_t idle_ns = before_ns ? record.start_ns() - *before_ns : 0;
      if (idle_ns < 0) ++overlapping;
      idle_ns = std::max<std::int64_t>(0, idle_ns);
      requests.push_back({record.offset_bytes, record.length_bytes, record.op == IoOp::kWrite,
                          idle_ns, record.complete_ns - record.start_ns()});
      before_ns = record.complete_ns;
    }
  }
  if (overlapping * 50 > requests.size()) {
    throw Error{
        fmt::format("{}: {} of {} requests came before the one before was done; a disk is "
                    "fitted to requests that were issued one at a time",
                    name, overlapping, requests.size())};
  }
  return requests;
}

std::vector<std::int64_t> simulated_responses(const ArrayConfig& array,
                                              std::span<const DiskRequest> requests,
                                              unsigned runs) {
  std::vector<std::int64_t> times;
  times.reserve(requests.size() * runs);
  for (unsigned run = 0; run < runs; ++run) {
    ArraySimulator disk{array, run + 1};
    std::int64_t now_ns = std::llround(60e9 / array.disks.rpm * run / runs);
    ArrayCompletion done;
    for (const DiskRequest& request : requests) {
      now_ns += request.idle_ns;
      disk.submit(now_ns, {request.offset_bytes, request.length_bytes, request.write}, 0);
      disk.next_completion(ArraySimulator::kNever, done);
      times.push_back(done.finish_ns - done.start_ns);
      now_ns = done.finish_ns;
    }
  }
  return times;
}

double demerit_ns(std::vector<std::int64_t> measured, std::vector<std::int64_t> modelled) {
  std::sort(measured.begin(), measured.end());
  std::sort(modelled.begin(), modelled.end());
  const auto at = [](const std::vector<std::int64_t>& sorted, double share) {
    return static_cast<double>(
        sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size()))]);
  };
  constexpr int kSteps = 10'000;
  double sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double share = (step + 0.5) / kSteps;
    const double distance = at(measured, share) - at(modelled, share);
    sum += distance * distance;
  }
  return std::sqrt(sum / kSteps);
}

DiskFit fit_disk(std::span<const DiskRequest> requests) {
  if (requests.size() < 1000) {
    throw Error{fmt::format("{} requests; a disk is fitted to at least 1000", requests.size())};
  }
  const auto train = requests.first(requests.size() / 2);
  const auto judge = requests.subspan(train.size());
  DiskFit fit;
  fit.array = Search{train, span_of(requests)}.run();
  fit.fitted = train.size();
  fit.judged = judge.size();
  const std::vector<std::int64_t> measured = responses(judge);
  const std::vector<std::int64_t> modelled = simulated_responses(fit.array, judge, kRunsToJudge);
  const auto mean = [](const std::vector<std::int64_t>& values) {
    double sum = 0;
    for (const std::int64_t value : values) sum += static_cast<double>(value);
    return sum / static_cast<double>(values.size());
  };
  fit.mean_ns = mean(measured);
  fit.modelled_mean_ns = mean(modelled);
  fit.demerit_ns = demerit_ns(measured, modelled);
  fit.halves_apart_ns = demerit_ns(measured, responses(train));
  return fit;
}

}  // namespace rigel
