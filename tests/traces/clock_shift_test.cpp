#include "traces/clock_shift.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/traces/memory_trace.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

TEST(ClockShift, MovesEveryTimeThatIsKnownAndNoOther) {
  IoRecord record;
  record.queue_ns = 1000;
  record.complete_ns = 5000;
  TraceTables tables = tables_of({"sda"});
  tables.losses = {{100, 200, 3, "ring full"}};
  const auto source =
      shift_clock(std::make_unique<MemoryTrace>(std::vector{record}, tables), -1500);
  const IoRecord moved = read_all(*source).at(0);
  EXPECT_EQ(moved.queue_ns, -500);
  EXPECT_EQ(moved.issue_ns, kNoTime);
  EXPECT_EQ(moved.complete_ns, 3500);
  EXPECT_EQ(source->tables().losses.at(0).from_ns, -1400);
}

TEST(ClockShift, LeavingTheClocksRangeIsAnError) {
  EXPECT_THROW(static_cast<void>(shifted_time(std::numeric_limits<std::int64_t>::max(), 1)), Error);
  EXPECT_THROW(static_cast<void>(shifted_time(kNoTime + 1, -1)), Error);
}

}  // namespace
}  // namespace rigel
