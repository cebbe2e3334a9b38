#include "replay/latency_table.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

TEST(LatencyTable, EveryGroupHasACellOfItsOwnUntilThereAreTooMany) {
  LatencyTable table;
  PlannedIo io;
  io.length_bytes = 8192;
  const std::uint16_t reads = table.cell_of(io);
  EXPECT_EQ(table.cell_of(io), reads);
  io.length_bytes = 8191;  // of the same size class
  EXPECT_EQ(table.cell_of(io), reads);
  io.op = IoOp::kWrite;
  EXPECT_NE(table.cell_of(io), reads);
  for (std::uint16_t target = 0; target < 40; ++target) {
    for (std::uint8_t role = 0; role < 20; ++role) {
      for (std::uint32_t size = 512; size <= 1U << 20; size *= 2) {
        PlannedIo other;
        other.target = target;
        other.role = role;
        other.length_bytes = size;
        const LatencyCell& cell = table.cell(table.cell_of(other));
        ASSERT_EQ(cell.target, target);
        ASSERT_EQ(cell.op, IoOp::kRead);
      }
    }
  }
  EXPECT_LE(table.cells().size(), LatencyTable::kMaxCells);
}

}  // namespace
}  // namespace rigel
