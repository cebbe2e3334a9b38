#include "traces/trace_summary.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "traces/arrival_statistics.hpp"
#include "traces/elapsed.hpp"
#include "traces/io_class.hpp"
#include "traces/outstanding.hpp"
#include "traces/sequential_runs.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// Hostile input could name any number of devices and roles.
constexpr std::size_t kMaxHeatMaps = 64;
constexpr std::size_t kMaxRoles = 64;
constexpr std::int32_t kMaxErrno = 4095;  // the kernel's MAX_ERRNO

struct DeviceAccount {
  IoTotals totals;
  PageAccesses reads;
  PageAccesses writes;
  std::unique_ptr<HeatMap> heat_map;
};

template <typename Entry>
Entry& of_role(std::map<std::string, Entry>& roles, const std::string& role) {
  const bool full = roles.size() >= kMaxRoles && roles.find(role) == roles.end();
  return roles[full ? "(others)" : role];
}

class Summarizer {
 public:
  explicit Summarizer(const SummaryOptions& options) : options_{options} {}

  void add(const RecordBatch& batch, const TraceTables& tables) {
    summary_.columns = summary_.columns | batch.present;
    note_damage(batch, tables);
    while (roles_.size() < tables.streams.size()) {
      const std::string& role = tables.streams[roles_.size()].role;
      roles_.push_back(&of_role(summary_.role_latency, role));
      stream_timelines_.push_back(&of_role(role_timelines_, role));
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const IoRecord record = batch.record(i);
      add(record);
      if (record.stream < tables.streams.size()) add_class(record, tables.streams[record.stream]);
    }
  }

  TraceSummary finish(const TraceTables& tables);

 private:
  void add(const IoRecord& record);
  void add_times(const IoRecord& record, DeviceAccount& device, IoTotals& stream);
  void add_latency(const IoRecord& record);
  void add_class(const IoRecord& record, const StreamInfo& stream);
  void note_damage(const RecordBatch& batch, const TraceTables& tables);
  void find_unknown_cells(const TraceTables& tables);
  void finish_devices(const TraceTables& tables);
  void finish_streams(const TraceTables& tables);
  [[nodiscard]] bool is_access(const IoRecord& record) const {
    return record.op == IoOp::kRead || record.op == IoOp::kWrite;
  }

  SummaryOptions options_;
  TraceSummary summary_;
  std::vector<DeviceAccount> devices_;
  std::vector<IoTotals> streams_;
  // By stream.
  std::vector<LatencyGroup*> roles_;
  std::vector<Timeline*> stream_timelines_;
  std::map<std::string, Timeline> role_timelines_;
  LatencyMap latency_map_;
  std::size_t heat_maps_ = 0;
  SequentialRuns runs_;
  WindowCounts seconds_{kSecond};
  WindowCounts tenths_{kSecond / 10};
  InterarrivalTimes interarrivals_;
  Timeline timeline_;
  Outstanding outstanding_;
  std::int64_t last_ns_ = 0;
  std::int64_t last_start_ns_ = 0;
  std::size_t damage_seen_ = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> damaged_times_;
};

void count(IoTotals& totals, const IoRecord& record, bool sequential) {
  OpTotals& op = totals.of(record.op);
  ++op.records;
  op.bytes += record.length_bytes;
  if (sequential) ++op.sequential;
}

template <typename Entry>
Entry& at_grown(std::vector<Entry>& table, std::size_t index) {
  if (index >= table.size()) table.resize(index + 1);
  return table[index];
}

void Summarizer::add(const IoRecord& record) {
  DeviceAccount& device = at_grown(devices_, record.device);
  IoTotals& stream = at_grown(streams_, record.stream);
  ++summary_.records;
  if (record.status != 0) ++summary_.errors[std::clamp(record.status, 1, kMaxErrno)];

  bool sequential = false;
  if (is_access(record) && record.length_bytes != 0) {
    const bool read = record.op == IoOp::kRead;
    sequential = runs_.add(record.stream, record.device, record.offset_bytes, record.length_bytes);
    (read ? device.reads : device.writes)
        .add(record.offset_bytes, record.length_bytes, options_.page_bytes);
    ++(read ? summary_.read_sizes
            : summary_.write_sizes)[std::bit_width(record.length_bytes - std::uint32_t{1})];
  }
  count(summary_.totals, record, sequential);
  count(device.totals, record, sequential);
  count(stream, record, sequential);
  if (record.start_ns() != kNoTime) add_times(record, device, stream);
}

// What could not be read lies between the last record before it and the first after it.
void Summarizer::note_damage(const RecordBatch& batch, const TraceTables& tables) {
  if (tables.damage.size() == damage_seen_ || batch.size() == 0) return;
  damage_seen_ = tables.damage.size();
  const std::int64_t next = batch.record(0).start_ns();
  if (summary_.has_times && next != kNoTime) damaged_times_.emplace_back(last_start_ns_, next);
}

void Summarizer::find_unknown_cells(const TraceTables& tables) {
  const std::size_t cells = summary_.timeline.size();
  summary_.timeline_unknown.assign(cells, false);
  const auto note = [&](std::int64_t from_ns, std::int64_t to_ns) {
    const std::int64_t base = summary_.start_ns;
    if (to_ns <= from_ns || to_ns < base) return;
    const auto cell_of = [&](std::int64_t time) {
      const std::int64_t since = std::max<std::int64_t>(0, elapsed_ns(base, time));
      return static_cast<std::uint64_t>(since) / summary_.timeline_cell_ns;
    };
    for (std::uint64_t i = cell_of(from_ns); i < cells && i <= cell_of(to_ns); ++i) {
      if (summary_.timeline[i].records == 0) summary_.timeline_unknown[i] = true;
    }
  };
  for (const auto& [from_ns, to_ns] : damaged_times_) note(from_ns, to_ns);
  for (const Loss& loss : tables.losses) note(loss.from_ns, loss.to_ns);
}

void Summarizer::add_class(const IoRecord& record, const StreamInfo& stream) {
  const std::string_view name = io_class(stream.role, record.op, record.length_bytes);
  if (name.empty()) return;
  auto found = summary_.io_classes.find(name);
  if (found == summary_.io_classes.end()) {
    found = summary_.io_classes.emplace(std::string{name}, IoClassSummary{}).first;
  }
  IoClassSummary& kind = found->second;
  ++kind.records;
  kind.bytes += record.length_bytes;
  const std::int64_t start = record.start_ns();
  if (start == kNoTime || record.complete_ns == kNoTime || record.complete_ns < start) return;
  kind.response.add(elapsed_ns(start, record.complete_ns));
}

void Summarizer::add_times(const IoRecord& record, DeviceAccount& device, IoTotals& stream) {
  const std::int64_t start = record.start_ns();
  if (!summary_.has_times) {
    summary_.has_times = true;
    summary_.start_ns = last_ns_ = start;
  }
  const std::int64_t base = summary_.start_ns;
  const std::int64_t since_base = elapsed_ns(base, start);
  last_ns_ = std::max({last_ns_, start, record.complete_ns});
  last_start_ns_ = start;
  seconds_.add(start);
  tenths_.add(start);
  interarrivals_.add(start);
  timeline_.add(since_base, record.length_bytes);
  Timeline* const by_role =
      record.stream < stream_timelines_.size() ? stream_timelines_[record.stream] : nullptr;
  if (by_role != nullptr) by_role->add(since_base, record.length_bytes);
  if (!device.heat_map && heat_maps_ < kMaxHeatMaps) {
    ++heat_maps_;
    device.heat_map = std::make_unique<HeatMap>();
  }
  if (device.heat_map && is_access(record)) {
    device.heat_map->add(since_base, record.offset_bytes);
  }
  if (record.complete_ns == kNoTime || record.complete_ns < start) return;
  const auto response = static_cast<double>(elapsed_ns(start, record.complete_ns));
  for (IoTotals* totals : {&summary_.totals, &device.totals, &stream}) {
    ++totals->completed;
    totals->response_ns += response;
  }
  outstanding_.add(start, record.complete_ns);
  timeline_.add_outstanding(since_base, elapsed_ns(base, record.complete_ns));
  latency_map_.add(since_base, elapsed_ns(start, record.complete_ns));
  add_latency(record);
}

void Summarizer::add_latency(const IoRecord& record) {
  auto& of_op = summary_.op_latency[static_cast<std::size_t>(record.op)];
  if (!of_op) of_op = std::make_unique<LatencyGroup>();
  LatencyGroup* const of_role = record.stream < roles_.size() ? roles_[record.stream] : nullptr;
  const auto add = [&](LatencyHistogram LatencyGroup::*part, std::int64_t begin, std::int64_t end) {
    if (begin == kNoTime || end == kNoTime) return;
    ((*of_op).*part).add(elapsed_ns(begin, end));
    if (of_role != nullptr) (of_role->*part).add(elapsed_ns(begin, end));
  };
  add(&LatencyGroup::queue, record.queue_ns, record.issue_ns);
  add(&LatencyGroup::service, record.issue_ns, record.complete_ns);
  add(&LatencyGroup::response, record.queue_ns, record.complete_ns);
}

// The busiest first; ties in the order of the trace.
template <typename Entry>
void sort_by_records(std::vector<Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.totals.all().records > b.totals.all().records;
  });
}

void Summarizer::finish_devices(const TraceTables& tables) {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    DeviceAccount& account = devices_[i];
    if (account.totals.all().records == 0) continue;
    DeviceSummary device;
    if (i < tables.devices.size()) device.device = tables.devices[i];
    device.totals = account.totals;
    device.footprint_pages = account.reads.distinct.count_union(account.writes.distinct);
    device.reads = reuse_of(account.reads, options_.page_bytes);
    device.writes = reuse_of(account.writes, options_.page_bytes);
    if (account.heat_map) {
      device.heat_map =
          account.heat_map->picture(options_.heat_map_rows, options_.heat_map_columns);
    }
    summary_.footprint_pages += device.footprint_pages;
    summary_.reads.add(device.reads);
    summary_.writes.add(device.writes);
    summary_.devices.push_back(std::move(device));
  }
  sort_by_records(summary_.devices);
}

void Summarizer::finish_streams(const TraceTables& tables) {
  std::map<std::tuple<std::string, std::uint32_t, std::string, std::string>, std::size_t> known;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i].all().records == 0) continue;
    const StreamInfo task = i < tables.streams.size() ? tables.streams[i] : StreamInfo{};
    const auto [at, added] =
        known.try_emplace({task.comm, task.pid, task.role, task.instance}, summary_.streams.size());
    if (added) summary_.streams.push_back({task.comm, task.pid, task.role, task.instance, 0, {}});
    StreamSummary& stream = summary_.streams[at->second];
    ++stream.tasks;
    stream.totals.add(streams_[i]);
  }
  sort_by_records(summary_.streams);
}

TraceSummary Summarizer::finish(const TraceTables& tables) {
  finish_devices(tables);
  if (summary_.columns.has(Column::kStream)) finish_streams(tables);
  std::erase_if(summary_.role_latency, [](const auto& entry) { return entry.second.empty(); });
  summary_.page_bytes = options_.page_bytes;
  summary_.duration_ns = elapsed_ns(summary_.start_ns, last_ns_);
  summary_.peak_second_records = seconds_.peak();
  summary_.peak_second_ns = elapsed_ns(summary_.start_ns, seconds_.peak_start_ns());
  summary_.dispersion_1s = seconds_.dispersion();
  summary_.dispersion_100ms = tenths_.dispersion();
  summary_.interarrival_squared_variation = interarrivals_.squared_variation();
  for (auto& [role, timeline] : role_timelines_) {
    timeline.widen_to(timeline_.cell_ns());
    auto cells = timeline.cells();
    if (!cells.empty()) summary_.role_timelines.emplace(role, std::move(cells));
  }
  summary_.latency_map = latency_map_.picture();
  summary_.timeline = timeline_.cells();
  summary_.timeline_cell_ns = timeline_.cell_ns();
  find_unknown_cells(tables);
  summary_.max_outstanding = outstanding_.max();
  if (summary_.duration_ns > 0) {
    summary_.mean_outstanding = outstanding_.total_ns() / static_cast<double>(summary_.duration_ns);
  }
  summary_.tables = tables;
  return std::move(summary_);
}

}  // namespace

OpTotals IoTotals::all() const {
  OpTotals sum;
  for (const OpTotals& op : ops) {
    sum.records += op.records;
    sum.bytes += op.bytes;
    sum.sequential += op.sequential;
  }
  return sum;
}

void IoTotals::add(const IoTotals& other) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ops[i].records += other.ops[i].records;
    ops[i].bytes += other.ops[i].bytes;
    ops[i].sequential += other.ops[i].sequential;
  }
  completed += other.completed;
  response_ns += other.response_ns;
}

TraceSummary summarize(TraceSource& source, const SummaryOptions& options) {
  Summarizer summarizer{options};
  RecordBatch batch;
  while (source.next(batch)) summarizer.add(batch, source.tables());
  return summarizer.finish(source.tables());
}

}  // namespace rigel
