#include "traces/trace_merger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "traces/clock_shift.hpp"
#include "traces/table_follower.hpp"

namespace rigel {
namespace {

constexpr std::size_t kBatchRecords = 16384;

// One table made of several: entries with the same key are one.
class EntryMap {
 public:
  // The index of the entry with this key, and whether it is new (then it is `next_index`).
  std::pair<std::uint32_t, bool> find_or_add(std::string key, std::size_t next_index) {
    const auto [at, added] =
        indices_.emplace(std::move(key), static_cast<std::uint32_t>(next_index));
    return {at->second, added};
  }

 private:
  std::unordered_map<std::string, std::uint32_t> indices_;
};

std::string device_key(const TraceMeta& meta, const DeviceInfo& device) {
  if (!device.wwid.empty()) return fmt::format("wwid\n{}\n{}", device.wwid, device.start_bytes);
  return fmt::format("host\n{}\n{}", meta.host, device.name);
}

std::string stream_key(const TraceMeta& meta, const StreamInfo& stream) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", meta.host, stream.comm, stream.pid, stream.tid,
                     stream.role, stream.instance, stream.cgroup);
}

struct Input {
  std::string name;
  std::unique_ptr<TraceSource> source;
  RecordBatch batch;
  std::size_t at = 0;
  std::int64_t shift_ns = 0;
  std::vector<std::uint32_t> devices;  // its index -> the merged one
  std::vector<std::uint32_t> streams;
  TableFollower follower;

  // False at its end.
  bool refill() {
    at = 0;
    return source->next(batch);
  }
};

class TraceMerger final : public TraceSource {
 public:
  TraceMerger(std::vector<std::unique_ptr<TraceSource>> sources,
              const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      Input& input = inputs_.emplace_back();
      input.name = names.at(i);
      input.source = std::move(sources[i]);
    }
  }

  bool next(RecordBatch& batch) override {
    if (!started_) start();
    batch.reset(columns());
    while (!waiting_.empty() && batch.size() < kBatchRecords) {
      std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>{});
      const std::size_t number = waiting_.back().second;
      waiting_.pop_back();
      Input& input = inputs_[number];
      batch.append(translated(input));
      if (++input.at < input.batch.size()) {
        wait(number);
        continue;
      }
      read_on(number);
      if (columns() != batch.present) break;  // the next batch has other columns
    }
    return !batch.empty();
  }

  [[nodiscard]] const TraceTables& tables() const override { return tables_; }

 private:
  // The first batches tell the inputs' clocks.
  void start() {
    started_ = true;
    std::vector<bool> alive;
    for (Input& input : inputs_) alive.push_back(input.refill());
    align_clocks();
    for (std::size_t number = 0; number < inputs_.size(); ++number) {
      learn_tables(inputs_[number]);
      if (alive[number]) {
        wait(number);
      } else {
        inputs_[number].batch.reset({});
      }
    }
  }

  void align_clocks() {
    tables_.meta = inputs_.front().source->tables().meta;
    tables_.meta.source = fmt::format("merge of {} traces", inputs_.size());
    std::int64_t earliest = 0;
    std::size_t unknown = 0;
    for (const Input& input : inputs_) {
      const TraceMeta& meta = input.source->tables().meta;
      if (meta.host != tables_.meta.host) tables_.meta.host.clear();
      if (meta.kernel != tables_.meta.kernel) tables_.meta.kernel.clear();
      if (meta.clock != tables_.meta.clock) tables_.meta.clock.clear();
      tables_.meta.extra.insert(meta.extra.begin(), meta.extra.end());
      const std::int64_t wall = meta.start_wall_ns;
      if (wall == 0) ++unknown;
      if (wall != 0 && (earliest == 0 || wall < earliest)) earliest = wall;
    }
    tables_.meta.start_wall_ns = earliest;
    for (Input& input : inputs_) {
      const std::int64_t wall = input.source->tables().meta.start_wall_ns;
      if (wall != 0) input.shift_ns = wall - earliest;
    }
    if (unknown != 0 && earliest != 0) {
      tables_.warnings.push_back(fmt::format(
          "{} of the {} traces do not tell when they began: taken to have begun with the first",
          unknown, inputs_.size()));
    }
  }

  void learn_tables(Input& input) {
    const TraceMeta& meta = input.source->tables().meta;
    input.follower.follow(input.source->tables(), tables_,
                          Overloaded{[&](DeviceInfo& device) {
                                       const auto [index, added] = device_map_.find_or_add(
                                           device_key(meta, device), tables_.devices.size());
                                       input.devices.push_back(index);
                                       if (added) device.name = unused_name(device.name, meta.host);
                                       return added;
                                     },
                                     [&](const StreamInfo& stream) {
                                       const auto [index, added] = stream_map_.find_or_add(
                                           stream_key(meta, stream), tables_.streams.size());
                                       input.streams.push_back(index);
                                       return added;
                                     },
                                     [&](Loss& loss) {
                                       loss.from_ns = shifted_time(loss.from_ns, input.shift_ns);
                                       loss.to_ns = shifted_time(loss.to_ns, input.shift_ns);
                                       return true;
                                     },
                                     [&](Damage& damage) {
                                       damage.reason = input.name + ": " + damage.reason;
                                       return true;
                                     },
                                     [&](std::string& warning) {
                                       warning = input.name + ": " + warning;
                                       return true;
                                     }});
  }

  std::string unused_name(const std::string& name, const std::string& host) {
    std::string candidate = name;
    for (unsigned number = 1; !device_names_.insert(candidate).second; ++number) {
      if (number == 1 && !host.empty()) {
        candidate = fmt::format("{}@{}", name, host);
      } else {
        candidate = fmt::format("{}#{}", name, number + 1);
      }
    }
    return candidate;
  }

  void wait(std::size_t number) {
    const Input& input = inputs_[number];
    const std::int64_t start = input.batch.record(input.at).start_ns();
    waiting_.emplace_back(shifted_time(start, input.shift_ns), number);
    std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>{});
  }

  void read_on(std::size_t number) {
    Input& input = inputs_[number];
    const bool alive = input.refill();
    learn_tables(input);
    if (alive) {
      wait(number);
    } else {
      input.batch.reset({});
    }
  }

  [[nodiscard]] ColumnSet columns() const {
    ColumnSet all;
    for (const Input& input : inputs_) all = all | input.batch.present;
    return all;
  }

  [[nodiscard]] static IoRecord translated(const Input& input) {
    IoRecord record = shifted_record(input.batch.record(input.at), input.shift_ns);
    if (record.device < input.devices.size()) record.device = input.devices[record.device];
    if (record.stream < input.streams.size()) record.stream = input.streams[record.stream];
    return record;
  }

  std::vector<Input> inputs_;
  std::vector<std::pair<std::int64_t, std::size_t>> waiting_;  // heap: next start, input
  EntryMap device_map_;
  EntryMap stream_map_;
  std::set<std::string> device_names_;
  TraceTables tables_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<TraceSource> merge_traces(std::vector<std::unique_ptr<TraceSource>> inputs,
                                          const std::vector<std::string>& names) {
  if (inputs.size() == 1) return std::move(inputs.front());
  return std::make_unique<TraceMerger>(std::move(inputs), names);
}

}  // namespace rigel
