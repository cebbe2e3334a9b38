// Pictures of a trace whose extent is not known before its end, in constant memory: axes of a fixed
// number of cells, whose width doubles, neighbours being added up, whenever something lies beyond.
// Not thread safe; nothing throws but allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rigel {

// Cells of 2^shift each from 0 on.
class DoublingAxis {
 public:
  DoublingAxis(unsigned shift, std::size_t cells) : shift_{shift}, cells_{cells} {}

  // How often the width has to double for `value` to fall on the axis; does it.
  unsigned stretch_to(std::uint64_t value) {
    unsigned doublings = 0;
    while ((value >> shift_) >= cells_) {
      ++shift_;
      ++doublings;
    }
    return doublings;
  }
  void widen() { ++shift_; }
  [[nodiscard]] std::size_t index(std::uint64_t value) const {
    return static_cast<std::size_t>(value >> shift_);
  }
  [[nodiscard]] std::uint64_t cell_width() const { return std::uint64_t{1} << shift_; }

 private:
  unsigned shift_;
  std::size_t cells_;
};

// What went on over time: I/Os begun, bytes they moved, and I/O-nanoseconds outstanding.
class Timeline {
 public:
  static constexpr std::size_t kCells = 512;
  Timeline() : cells_(kCells) {}

  struct Cell {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
    double outstanding_ns = 0;  // over the cell's width: the mean number outstanding
  };

  // Times are since the trace's first I/O; what lies before is put at 0.
  void add(std::int64_t start_ns, std::uint64_t bytes);
  void add_outstanding(std::int64_t start_ns, std::int64_t end_ns);

  // Makes cells at least so long, which is how timelines of one trace get cells of one length.
  void widen_to(std::uint64_t cell_ns);

  // The cells up to the last that holds anything, and how long each is.
  [[nodiscard]] std::vector<Cell> cells() const;
  [[nodiscard]] std::uint64_t cell_ns() const { return axis_.cell_width(); }

 private:
  void stretch_to(std::uint64_t time_ns);
  void halve();

  DoublingAxis axis_{20, kCells};  // about a millisecond at first
  std::vector<Cell> cells_;
  std::size_t used_ = 0;
};

// Where on a device I/O went, and when.
class HeatMap {
 public:
  static constexpr std::size_t kColumns = 128;  // of time
  static constexpr std::size_t kRows = 256;     // of addresses
  HeatMap() : counts_(kColumns * kRows) {}

  void add(std::int64_t time_ns, std::uint64_t offset_bytes);

  // The part that was touched, with rows and columns joined to at most so many.
  struct Picture {
    std::uint64_t column_ns = 0;
    std::uint64_t first_bytes = 0;  // where the first row begins
    std::uint64_t row_bytes = 0;
    std::vector<std::vector<std::uint64_t>> rows;  // I/Os that begin there
  };
  [[nodiscard]] Picture picture(std::size_t max_rows, std::size_t max_columns) const;

 private:
  [[nodiscard]] std::uint64_t& at(std::size_t row, std::size_t column) {
    return counts_[row * kColumns + column];
  }
  void halve(bool rows);

  DoublingAxis time_{20, kColumns};
  DoublingAxis place_{20, kRows};
  std::vector<std::uint64_t> counts_;
};

}  // namespace rigel
