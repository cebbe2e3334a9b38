#include "model/compare/workload_profile.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "model/cache/page_stream.hpp"
#include "traces/elapsed.hpp"
#include "traces/error.hpp"
#include "traces/outstanding.hpp"
#include "traces/page_pieces.hpp"
#include "traces/sequential_runs.hpp"

namespace rigel {
namespace {

constexpr std::uint64_t kFirstBlockRecords = 32;
constexpr std::size_t kMostBlocks = 64;
constexpr std::int64_t kWindowNs = 100'000'000;
constexpr unsigned kGaps = 64;
constexpr std::size_t kMaxRoles = 16;  // hostile input could name any number
constexpr std::uint64_t kFirstBeginning = 256;

class Profiler {
 public:
  explicit Profiler(const ProfileOptions& options) : heat_{options.max_pages} {
    profile_.page_bytes = options.page_bytes;
  }
  void add(const IoRecord& record, const TraceTables& tables);
  [[nodiscard]] WorkloadProfile finish();

 private:
  void add_place(const IoRecord& record);
  void add_time(const IoRecord& record, const TraceTables& tables);
  void add_gap(std::int64_t gap_ns);
  void add_window(std::int64_t since_first_ns);
  void end_block();
  void merge_blocks();
  [[nodiscard]] BlockedSamples* role_samples(const std::string& role);
  void observe(Figure figure, std::uint64_t value, double weight = 1) {
    profile_.figures[static_cast<std::size_t>(figure)].add(block_, value, weight);
  }
  [[nodiscard]] PlaceProgress progress() const { return {profile_.records, heat_.snapshot()}; }

  WorkloadProfile profile_;
  std::size_t block_ = 0;
  std::uint64_t in_block_ = 0;
  std::uint64_t block_records_ = kFirstBlockRecords;
  PageHeat heat_;
  SequentialRuns runs_;
  Outstanding outstanding_;
  std::uint64_t lowest_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t highest_ = 0;
  bool timed_ = false;
  std::int64_t last_ns_ = 0;
  std::int64_t window_ = 0;  // number of the one under way
  std::uint64_t in_window_ = 0;
  unsigned gaps_ = 0;
  double gaps_ns_ = 0;
  double first_gaps_ns_ = 0;
};

void Profiler::add(const IoRecord& record, const TraceTables& tables) {
  if (in_block_ == block_records_) end_block();
  if (in_block_++ == 0) profile_.starts_ns.push_back(record.start_ns());
  ++profile_.records;
  observe(Figure::kOp, static_cast<std::uint64_t>(record.op));
  if (record.op == IoOp::kRead || record.op == IoOp::kWrite) {
    ++(record.op == IoOp::kRead ? profile_.reads : profile_.writes);
    if (record.length_bytes != 0) add_place(record);
  }
  if (record.start_ns() != kNoTime) add_time(record, tables);
  if (profile_.records == kFirstBeginning << profile_.beginnings.size()) {
    profile_.beginnings.push_back(
        {progress(), {profile_.of(Figure::kReadReuse), profile_.of(Figure::kWriteReuse)}});
  }
}

void Profiler::add_place(const IoRecord& record) {
  const bool read = record.op == IoOp::kRead;
  observe(read ? Figure::kReadBytes : Figure::kWriteBytes, record.length_bytes);
  const bool sequential =
      runs_.add(record.stream, record.device, record.offset_bytes, record.length_bytes);
  observe(read ? Figure::kReadSequential : Figure::kWriteSequential, sequential ? 1 : 0);
  const PageRange pages = pages_of(record.offset_bytes, record.length_bytes, profile_.page_bytes);
  lowest_ = std::min(lowest_, record.offset_bytes);
  highest_ =
      std::max(highest_, record.offset_bytes +
                             std::min<std::uint64_t>(record.length_bytes, ~record.offset_bytes));
  profile_.align_bytes = std::gcd(
      profile_.align_bytes, std::gcd(record.offset_bytes, std::uint64_t{record.length_bytes}));
  const Figure figure = read ? Figure::kReadReuse : Figure::kWriteReuse;
  BlockedSamples& reuse = profile_.figures[static_cast<std::size_t>(figure)];
  for (std::uint64_t page = pages.first; page < pages.end; ++page) {
    const PageHeat::Access access =
        heat_.access(std::uint64_t{record.device} << kPageNumberBits ^ page);
    if (access.seen == PageHeat::Seen::kFirst) reuse.add_infinite(block_, access.weight);
    if (access.seen == PageHeat::Seen::kAgain) reuse.add(block_, access.distance, access.weight);
  }
}

void Profiler::add_time(const IoRecord& record, const TraceTables& tables) {
  const std::int64_t start = record.start_ns();
  if (!timed_) {
    timed_ = true;
    profile_.first_ns = last_ns_ = start;
  } else {
    add_gap(elapsed_ns(last_ns_, start));
  }
  last_ns_ = std::max(last_ns_, start);
  add_window(elapsed_ns(profile_.first_ns, start));
  const bool began = record.queue_ns != kNoTime || record.issue_ns != kNoTime;
  if (!began || record.complete_ns == kNoTime || record.complete_ns < start) return;
  outstanding_.add(start, record.complete_ns);
  observe(Figure::kQueueDepth, outstanding_.now());
  const auto latency = static_cast<std::uint64_t>(elapsed_ns(start, record.complete_ns));
  if (record.op == IoOp::kRead) observe(Figure::kReadLatency, latency);
  if (record.op == IoOp::kWrite) observe(Figure::kWriteLatency, latency);
  if (record.stream >= tables.streams.size()) return;
  if (BlockedSamples* samples = role_samples(tables.streams[record.stream].role)) {
    samples->add(block_, latency);
  }
}

BlockedSamples* Profiler::role_samples(const std::string& role) {
  if (role.empty()) return nullptr;
  const auto found = profile_.role_latency.find(role);
  if (found != profile_.role_latency.end()) return &found->second;
  return profile_.role_latency.size() < kMaxRoles ? &profile_.role_latency[role] : nullptr;
}

void Profiler::add_gap(std::int64_t gap_ns) {
  observe(Figure::kInterarrival, static_cast<std::uint64_t>(gap_ns));
  gaps_ns_ += static_cast<double>(gap_ns);
  if (++gaps_ == kGaps / 2) first_gaps_ns_ = gaps_ns_;
  if (gaps_ < kGaps) return;
  if (gaps_ns_ > 0) {
    const double unevenness = std::abs(2 * first_gaps_ns_ / gaps_ns_ - 1);
    observe(Figure::kUnevenness, static_cast<std::uint64_t>(1000 * unevenness + 0.5));
  }
  gaps_ = 0;
  gaps_ns_ = 0;
}

// Windows that are over count, those between without an I/O as 0.
void Profiler::add_window(std::int64_t since_first_ns) {
  const std::int64_t window = since_first_ns / kWindowNs;
  if (window > window_) {
    observe(Figure::kArrivals, in_window_);
    if (window > window_ + 1) {
      observe(Figure::kArrivals, 0, static_cast<double>(window - window_ - 1));
    }
    window_ = window;
    in_window_ = 0;
  }
  ++in_window_;
}

void Profiler::end_block() {
  profile_.places.push_back(progress());
  in_block_ = 0;
  if (++block_ == kMostBlocks) merge_blocks();
}

void Profiler::merge_blocks() {
  for (BlockedSamples& samples : profile_.figures) samples.merge_pairs();
  for (auto& [role, samples] : profile_.role_latency) samples.merge_pairs();
  for (std::size_t i = 0; 2 * i + 1 < profile_.places.size(); ++i) {
    profile_.places[i] = std::move(profile_.places[2 * i + 1]);
  }
  profile_.places.resize(profile_.places.size() / 2);
  for (std::size_t i = 0; 2 * i < profile_.starts_ns.size(); ++i) {
    profile_.starts_ns[i] = profile_.starts_ns[2 * i];
  }
  profile_.starts_ns.resize((profile_.starts_ns.size() + 1) / 2);
  block_ /= 2;
  block_records_ *= 2;
}

WorkloadProfile Profiler::finish() {
  if (in_block_ != 0) profile_.places.push_back(progress());
  profile_.block_records = block_records_;
  profile_.duration_ns = elapsed_ns(profile_.first_ns, last_ns_);
  if (profile_.duration_ns > 0) {
    profile_.mean_outstanding = outstanding_.total_ns() / static_cast<double>(profile_.duration_ns);
  }
  profile_.page_counts = heat_.counts();
  profile_.page_sampling = heat_.sampling_rate();
  if (highest_ > lowest_) profile_.span_bytes = highest_ - lowest_;
  return std::move(profile_);
}

}  // namespace

WorkloadProfile profile_workload(TraceSource& source, const ProfileOptions& options) {
  if (options.page_bytes < 512) throw UsageError{"--page is below 512 bytes"};
  Profiler profiler{options};
  RecordBatch batch;
  while (source.next(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i) profiler.add(batch.record(i), source.tables());
  }
  return profiler.finish();
}

}  // namespace rigel
