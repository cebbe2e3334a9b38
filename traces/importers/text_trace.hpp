// A text trace: LineReader in, a format's LineParser for every line, batches out. Decides for all
// text formats what happens to a line that cannot be read: it is refused by number and reason
// (tables().damage, the first kListedDamage one by one, the others as a count), and reading goes
// on, unless more than kRefusedAlways lines and more than a tenth of all are bad, or none is
// good: then the input is not what it was taken for, and next() throws Error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/importers/line_reader.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

// What a LineParser says about the line under way.
class LineOutput {
 public:
  explicit LineOutput(TraceTables& to) : tables{to} {}

  void add(const IoRecord& record) { records_.push_back(record); }
  // The line is bad; whatever it added before stays.
  void refuse(std::string reason) {
    reason_ = std::move(reason);
    refused_ = true;
  }
  // A doubt about the import, told once: "line 7: <what>".
  void warn(std::string_view what);

  [[nodiscard]] std::uint64_t line_number() const { return line_number_; }

  TraceTables& tables;

 private:
  friend class TextTrace;
  std::vector<IoRecord> records_;
  std::string reason_;
  bool refused_ = false;
  std::uint64_t line_number_ = 0;
};

class LineParser {
 public:
  virtual ~LineParser() = default;
  // The columns that the lines seen so far can fill.
  [[nodiscard]] virtual ColumnSet columns() const = 0;
  // Called for every line but empty ones.
  virtual void parse(std::string_view line, LineOutput& out) = 0;
  // Called once after the last line.
  virtual void finish(LineOutput& /*out*/) {}
  // Whether times should never fall in this format: those that do are told.
  [[nodiscard]] virtual bool ordered_by_time() const { return true; }
};

class TextTrace final : public TraceSource {
 public:
  static constexpr std::size_t kListedDamage = 100;
  static constexpr std::size_t kListedWarnings = 100;
  static constexpr std::uint64_t kRefusedAlways = 100;

  // `source_name` becomes TraceMeta::source.
  TextTrace(std::unique_ptr<ByteSource> input, std::unique_ptr<LineParser> parser,
            std::string source_name, ColumnSet columns);

  bool next(RecordBatch& batch) override;
  [[nodiscard]] const TraceTables& tables() const override { return tables_; }

 private:
  void refuse_line();
  void watch_time(std::size_t from);
  void finish();

  LineReader lines_;
  std::unique_ptr<LineParser> parser_;
  ColumnSet wanted_;
  TraceTables tables_;
  LineOutput out_{tables_};
  std::int64_t latest_ns_ = kNoTime;
  std::uint64_t late_ = 0;  // records whose time is before an earlier record's
  std::uint64_t records_ = 0;
  std::uint64_t refused_lines_ = 0;
  std::string first_reason_;
  Damage unlisted_;  // what did not fit into the list
  bool finished_ = false;
};

}  // namespace rigel
