#include "traces/quantity.hpp"

#include <gtest/gtest.h>

#include "traces/error.hpp"

namespace rigel {
namespace {

TEST(Quantity, SizesArePowersOf1024) {
  EXPECT_EQ(parse_bytes("512"), 512U);
  EXPECT_EQ(parse_bytes("8k"), 8192U);
  EXPECT_EQ(parse_bytes("8 KiB"), 8192U);
  EXPECT_EQ(parse_bytes("96G"), 103079215104U);
  EXPECT_EQ(parse_bytes("3T"), 3298534883328U);
  EXPECT_EQ(parse_bytes("1.5m"), 1572864U);
  EXPECT_EQ(parse_bytes("18446744073709551615"), 18446744073709551615U);
}

TEST(Quantity, SizesThatMakeNoSenseAreRefusedWithTheirText) {
  for (const char* text :
       {"", "k", "-1", "8kk", "8k ", "1e3", "0x10", "16777216T", "99999999999999999999", "0.3",
        "nan", "inf", "8,192", "18446744073709551616"}) {
    try {
      static_cast<void>(parse_bytes(text));
      ADD_FAILURE() << "took '" << text << "'";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string{error.what()}.find(std::string{"'"} + text + "'"), std::string::npos);
    }
  }
}

TEST(Quantity, TimesCarryAUnit) {
  EXPECT_EQ(parse_duration_ns("300us"), 300'000);
  EXPECT_EQ(parse_duration_ns("1.5s"), 1'500'000'000);
  EXPECT_EQ(parse_duration_ns("10m"), 600'000'000'000);
  EXPECT_EQ(parse_duration_ns("8ms"), 8'000'000);
  for (const char* text : {"5", "-1s", "s", "1s1", "1 fortnight", "1e300s", ""}) {
    EXPECT_THROW(static_cast<void>(parse_duration_ns(text)), UsageError) << text;
  }
}

TEST(Quantity, FormattingIsShortAndExactWhereItCanBe) {
  EXPECT_EQ(format_bytes(103079215104U), "96 GiB");
  EXPECT_EQ(format_bytes(8192), "8 KiB");
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_duration(312'000), "312 us");
  EXPECT_EQ(format_duration(8'210'000), "8.21 ms");
  EXPECT_EQ(format_duration(999'999), "1.00 ms");
  EXPECT_EQ(format_duration(10'000'000'000), "10.0 s");
  EXPECT_EQ(format_duration(999), "999 ns");
  EXPECT_EQ(format_count(1141869), "1,141,869");
  EXPECT_EQ(format_count(999), "999");
}

}  // namespace
}  // namespace rigel
