#include "traces/record_filter.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "traces/error.hpp"
#include "traces/table_follower.hpp"

namespace rigel {
namespace {

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// Names given on the command line, against a table's entries: each entry is looked at once, however
// many records name it.
template <typename Entry>
class NameCriterion {
 public:
  using Matcher = bool (*)(const std::string& pattern, const Entry& entry);
  NameCriterion(std::vector<std::string> patterns, Matcher matcher)
      : patterns_{std::move(patterns)}, used_(patterns_.size()), matcher_{matcher} {}

  [[nodiscard]] bool asked() const { return !patterns_.empty(); }

  void learn(const std::vector<Entry>& table) {
    if (!asked()) return;
    for (std::size_t index = wanted_.size(); index < table.size(); ++index) {
      bool wanted = false;
      for (std::size_t i = 0; i < patterns_.size(); ++i) {
        if (!matcher_(patterns_[i], table[index])) continue;
        used_[i] = wanted = true;
      }
      wanted_.push_back(wanted);
    }
  }

  [[nodiscard]] bool wants(std::uint32_t index) const {
    return index < wanted_.size() && wanted_[index];
  }

  void report_unused(const char* kind, std::vector<std::string>& warnings) const {
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      if (!used_[i]) warnings.push_back(fmt::format("no {} is '{}'", kind, patterns_[i]));
    }
  }

 private:
  std::vector<std::string> patterns_;
  std::vector<bool> used_;
  std::vector<bool> wanted_;  // by index into the table
  Matcher matcher_;
};

bool is_device(const std::string& pattern, const DeviceInfo& device) {
  return matches(pattern, device.name) || (!device.wwid.empty() && pattern == device.wwid) ||
         pattern == fmt::format("{}:{}", device.major, device.minor);
}

bool is_stream(const std::string& pattern, const StreamInfo& stream) {
  return matches(pattern, stream.comm) || pattern == std::to_string(stream.pid);
}

bool is_role(const std::string& pattern, const StreamInfo& stream) {
  return matches(pattern, stream.role);
}

class RecordFilter final : public TraceSource {
 public:
  RecordFilter(std::unique_ptr<TraceSource> source, FilterCriteria criteria)
      : source_{std::move(source)},
        criteria_{std::move(criteria)},
        devices_{criteria_.devices, is_device},
        streams_{criteria_.streams, is_stream},
        roles_{criteria_.roles, is_role} {
    for (const IoOp op : criteria_.ops) ops_ |= 1U << static_cast<unsigned>(op);
  }

  bool next(RecordBatch& batch) override {
    while (source_->next(batch)) {
      learn_tables();
      require_columns(batch.present);
      select(batch);
      if (!batch.empty()) return true;
    }
    learn_tables();
    finish_tables();
    return false;
  }

  [[nodiscard]] const TraceTables& tables() const override { return tables_; }

 private:
  void learn_tables() {
    tables_.meta = source_->tables().meta;
    follower_.follow(source_->tables(), tables_,
                     Overloaded{[this](const Loss& loss) { return overlaps_window(loss); },
                                [](const auto&) { return true; }});
    devices_.learn(tables_.devices);
    streams_.learn(tables_.streams);
    roles_.learn(tables_.streams);
  }

  [[nodiscard]] bool overlaps_window(const Loss& loss) const {
    return (!criteria_.to_ns || loss.from_ns < *criteria_.to_ns) &&
           (!criteria_.from_ns || loss.to_ns >= *criteria_.from_ns);
  }

  void finish_tables() {
    devices_.report_unused("device", tables_.warnings);
    streams_.report_unused("process", tables_.warnings);
    roles_.report_unused("process's role", tables_.warnings);
  }

  void require_columns(ColumnSet present) const {
    const auto require = [present](bool asked, ColumnSet any_of, const char* what) {
      if (asked && (present & any_of) == ColumnSet{}) {
        throw Error{fmt::format("cannot choose records by {}: the trace does not tell it", what)};
      }
    };
    require(criteria_.from_ns || criteria_.to_ns,
            {Column::kQueue, Column::kIssue, Column::kComplete}, "time");
    require(devices_.asked(), {Column::kDevice}, "device");
    require(ops_ != 0, {Column::kOp}, "operation");
    require(streams_.asked(), {Column::kStream}, "process");
    require(roles_.asked(), {Column::kStream}, "role");
  }

  [[nodiscard]] bool wants(const IoRecord& record) const {
    const std::int64_t start = record.start_ns();
    if (criteria_.from_ns && start < *criteria_.from_ns) return false;
    if (criteria_.to_ns && start >= *criteria_.to_ns) return false;
    if (ops_ != 0 && ((ops_ >> static_cast<unsigned>(record.op)) & 1U) == 0) return false;
    if (devices_.asked() && !devices_.wants(record.device)) return false;
    if (streams_.asked() && !streams_.wants(record.stream)) return false;
    if (roles_.asked() && !roles_.wants(record.stream)) return false;
    if (record.length_bytes < criteria_.min_length_bytes) return false;
    if (record.length_bytes > criteria_.max_length_bytes) return false;
    if (record.offset_bytes >= criteria_.end_offset_bytes) return false;
    if (record.offset_bytes >= criteria_.first_offset_bytes) return true;
    return record.length_bytes > criteria_.first_offset_bytes - record.offset_bytes;
  }

  void select(RecordBatch& batch) {
    rows_.clear();
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      if (wants(batch.record(i)) && met_++ % criteria_.every == 0) rows_.push_back(i);
    }
    batch.keep_rows(rows_);
  }

  std::unique_ptr<TraceSource> source_;
  FilterCriteria criteria_;
  NameCriterion<DeviceInfo> devices_;
  NameCriterion<StreamInfo> streams_;
  NameCriterion<StreamInfo> roles_;
  std::uint32_t ops_ = 0;            // a bit for each operation wanted; 0 wants all
  std::uint64_t met_ = 0;            // records that met the criteria so far
  std::vector<std::uint32_t> rows_;  // of the batch under way
  TableFollower follower_;
  TraceTables tables_;
};

}  // namespace

std::unique_ptr<TraceSource> filter_records(std::unique_ptr<TraceSource> source,
                                            FilterCriteria criteria) {
  if (criteria.every == 0) throw UsageError{"every 0th record makes no sense"};
  if (criteria == FilterCriteria{}) return source;
  return std::make_unique<RecordFilter>(std::move(source), std::move(criteria));
}

}  // namespace rigel
