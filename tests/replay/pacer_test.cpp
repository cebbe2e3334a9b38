#include "replay/pacer.hpp"

#include <gtest/gtest.h>

#include "traces/error.hpp"

namespace rigel {
namespace {

TEST(Pacer, SleepsShortOfTheDeadlineByWhatTheHostWakesLate) {
  Pacer pacer{SpinMode::kAuto};
  for (int i = 0; i < 1000; ++i) pacer.slept(1'000'000, 1'050'000);
  EXPECT_NEAR(static_cast<double>(pacer.margin_ns()), 62'500, 1000);
  EXPECT_EQ(pacer.sleep_ns(10'000'000), 10'000'000 - pacer.margin_ns());
  EXPECT_EQ(pacer.sleep_ns(50'000), 0);
  pacer.slept(1'000'000, 1'200'000);  // one late wake-up is heeded at once
  EXPECT_GE(pacer.margin_ns(), 200'000);
  pacer.slept(1'000'000, 900'000'000);  // but never lets it spin for good
  EXPECT_LE(pacer.margin_ns(), 500'000);
}

TEST(Pacer, AlwaysNeverSleepsAndNeverAlwaysDoes) {
  EXPECT_EQ(Pacer{SpinMode::kAlways}.sleep_ns(1'000'000'000), 0);
  EXPECT_EQ(Pacer{SpinMode::kNever}.sleep_ns(10), 10);
  EXPECT_THROW(static_cast<void>(parse_spin_mode("sometimes")), UsageError);
}

}  // namespace
}  // namespace rigel
