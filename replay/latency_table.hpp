// Latencies of a replay, in one cell for each (target, operation, level, size class, role)
// that occurs.
// Every other grouping is a sum of cells, so an I/O is counted once however many views are printed.
//
// Two threads: the read-ahead thread calls cell_of() and so makes cells; the thread that issues a
// target's I/O adds to that target's cells, whose indices reached it through an IoQueue (which
// orders the two). Views are for when both have ended. cell_of() throws only bad_alloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "replay/planned_io.hpp"
#include "traces/latency_histogram.hpp"

namespace rigel {

struct LatencyCell {
  std::uint16_t target = 0;
  IoOp op = IoOp::kRead;
  std::uint8_t size_class = 0;  // lengths up to 2^size_class bytes; 0 for none
  std::uint8_t role = 0;
  std::uint8_t level = 0;
  std::uint64_t bytes = 0;
  std::int64_t first_issue_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_complete_ns = 0;
  LatencyHistogram service;   // issue to completion
  LatencyHistogram response;  // intended issue to completion: no coordinated omission
};

class LatencyTable {
 public:
  // Some 115 KiB a cell; what goes beyond the last one loses its role, then its size class.
  static constexpr std::size_t kMaxCells = 256;

  LatencyTable() { cells_.reserve(kMaxCells); }

  [[nodiscard]] static std::uint8_t size_class(std::uint32_t length_bytes);
  [[nodiscard]] std::uint16_t cell_of(const PlannedIo& io);
  [[nodiscard]] LatencyCell& cell(std::uint16_t index) { return *cells_[index]; }
  [[nodiscard]] const std::vector<std::unique_ptr<LatencyCell>>& cells() const { return cells_; }

 private:
  struct Key {
    std::uint16_t target;
    IoOp op;
    std::uint8_t level;
    std::uint8_t size_class;
    std::uint8_t role;
    friend bool operator==(const Key&, const Key&) = default;
  };
  [[nodiscard]] static Key key_of(const LatencyCell& cell);
  [[nodiscard]] std::size_t find(const Key& key) const;
  std::vector<std::unique_ptr<LatencyCell>> cells_;
  std::array<std::uint16_t, 1024> recent_{};  // where the last cell with that hash was found
};

}  // namespace rigel
