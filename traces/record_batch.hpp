// Some thousands of I/O records as columns, the unit in which traces are read and written.
// Only the columns in `present` hold data (their vectors have size() elements, the others are
// empty): a column is missing because the trace never had it, or because the reader was not asked
// for it. Plain data owned by the caller and reused from one read to the next; not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "traces/io_record.hpp"

namespace rigel {

// Values are part of the .rgt format; append, never renumber.
enum class Column : std::uint8_t {
  kQueue = 0,
  kIssue = 1,
  kComplete = 2,
  kDevice = 3,
  kOffset = 4,
  kLength = 5,
  kOp = 6,
  kFlags = 7,
  kStream = 8,
  kCpu = 9,
  kStatus = 10,
};
inline constexpr std::uint8_t kColumnCount = 11;

class ColumnSet {
 public:
  constexpr ColumnSet() = default;
  constexpr ColumnSet(std::initializer_list<Column> columns) {
    for (Column c : columns) add(c);
  }
  [[nodiscard]] static constexpr ColumnSet all() { return from_bits((1U << kColumnCount) - 1); }
  [[nodiscard]] static constexpr ColumnSet from_bits(std::uint32_t bits) {
    ColumnSet set;
    set.bits_ = bits;
    return set;
  }
  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool has(Column c) const { return (bits_ & bit(c)) != 0; }
  constexpr void add(Column c) { bits_ |= bit(c); }
  constexpr void remove(Column c) { bits_ &= ~bit(c); }
  friend constexpr ColumnSet operator&(ColumnSet a, ColumnSet b) {
    return from_bits(a.bits_ & b.bits_);
  }
  friend constexpr ColumnSet operator|(ColumnSet a, ColumnSet b) {
    return from_bits(a.bits_ | b.bits_);
  }
  friend constexpr bool operator==(ColumnSet, ColumnSet) = default;

 private:
  static constexpr std::uint32_t bit(Column c) { return 1U << static_cast<unsigned>(c); }
  std::uint32_t bits_ = 0;
};

struct RecordBatch {
  ColumnSet present;
  std::vector<std::int64_t> queue_ns;
  std::vector<std::int64_t> issue_ns;
  std::vector<std::int64_t> complete_ns;
  std::vector<std::uint32_t> device;
  std::vector<std::uint64_t> offset_bytes;
  std::vector<std::uint32_t> length_bytes;
  std::vector<IoOp> op;
  std::vector<std::uint32_t> flags;
  std::vector<std::uint32_t> stream;
  std::vector<std::uint16_t> cpu;
  std::vector<std::int32_t> status;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  // Empties every column and says which ones the next records will fill.
  void reset(ColumnSet columns);
  // Gives every present column `count` elements, to be filled by index.
  void resize(std::size_t count);
  // Adds a record; fields whose column is not present are dropped.
  void append(const IoRecord& record);
  // Adds rows [first, first + count) of `from`, which must have every column present here and must
  // not be this batch.
  void append(const RecordBatch& from, std::size_t first, std::size_t count);
  // Keeps only these rows, which are named in ascending order.
  void keep_rows(std::span<const std::uint32_t> rows);
  // Row `index`; fields whose column is not present keep IoRecord's defaults.
  [[nodiscard]] IoRecord record(std::size_t index) const;

  // visit(column, its vector in a batch, its field in a record) for each column there is, in the
  // order of their numbers; vector and field are pointers to members.
  template <typename Visit>
  static constexpr void for_each_column(Visit&& visit) {
    visit(Column::kQueue, &RecordBatch::queue_ns, &IoRecord::queue_ns);
    visit(Column::kIssue, &RecordBatch::issue_ns, &IoRecord::issue_ns);
    visit(Column::kComplete, &RecordBatch::complete_ns, &IoRecord::complete_ns);
    visit(Column::kDevice, &RecordBatch::device, &IoRecord::device);
    visit(Column::kOffset, &RecordBatch::offset_bytes, &IoRecord::offset_bytes);
    visit(Column::kLength, &RecordBatch::length_bytes, &IoRecord::length_bytes);
    visit(Column::kOp, &RecordBatch::op, &IoRecord::op);
    visit(Column::kFlags, &RecordBatch::flags, &IoRecord::flags);
    visit(Column::kStream, &RecordBatch::stream, &IoRecord::stream);
    visit(Column::kCpu, &RecordBatch::cpu, &IoRecord::cpu);
    visit(Column::kStatus, &RecordBatch::status, &IoRecord::status);
  }

 private:
  std::size_t size_ = 0;
};

}  // namespace rigel
