#include "traces/importers/text_fields.hpp"

#include <gtest/gtest.h>

#include "traces/error.hpp"

namespace rigel {
namespace {

std::int64_t time_of(std::string_view text, std::int64_t unit_ns) {
  TextFields fields{text, ','};
  const std::int64_t time = fields.time("t", unit_ns);
  EXPECT_EQ(fields.why(), "") << text;
  return time;
}

template <typename Read>
std::string refusal(std::string_view line, Read read) {
  TextFields fields{line, ','};
  read(fields);
  EXPECT_FALSE(fields.ok()) << line;
  return fields.why();
}

TEST(TextFields, TimesKeepEveryDigitDownToTheNanosecond) {
  EXPECT_EQ(time_of("0.551706", kNsPerSecond), 551'706'000);
  EXPECT_EQ(time_of("1577808000.000000046", kNsPerSecond), 1'577'808'000'000'000'046);
  EXPECT_EQ(time_of("13.191135", kNsPerMs), 13'191'135);
  EXPECT_EQ(time_of("20935.440364", kNsPerUs), 20'935'440);
  EXPECT_EQ(time_of("0.0000000004", kNsPerSecond), 0);
  EXPECT_EQ(time_of("0.0006", kNsPerUs), 1);  // to the nearest
  EXPECT_EQ(time_of("-0.41", kNsPerMs), -410'000);
  EXPECT_EQ(time_of("7.", kNsPerUs), 7'000);
  EXPECT_EQ(time_of("1e-3", kNsPerSecond), 1'000'000);
  EXPECT_EQ(time_of("1.5E+3", kNsPerUs), 1'500'000);
}

TEST(TextFields, TimesBeyond292YearsAreRefused) {
  const auto read = [](TextFields& f) { f.time("t", kNsPerSecond); };
  EXPECT_EQ(refusal("9300000000", read), "t: '9300000000' is too large");
  EXPECT_EQ(refusal("99999999999999999999999", read), "t: '99999999999999999999999' is too large");
  EXPECT_EQ(refusal("1e300", read), "t: '1e300' is too large");
  EXPECT_EQ(refusal(".5", read), "t: '.5' is no number");
  EXPECT_EQ(refusal("1:30", read), "t: '1:30' has something after the number");
}

TEST(TextFields, AddressesEndWhereTheLargestDeviceDoes) {
  TextFields fields{"18014398509481983", ','};
  EXPECT_EQ(fields.bytes("LBA", 512), 18014398509481983ULL * 512);
  EXPECT_TRUE(fields.ok());
  const auto read = [](TextFields& f) { f.bytes("LBA", 512); };
  EXPECT_EQ(refusal("18014398509481984", read),
            "LBA: '18014398509481984' lies beyond 2^63 bytes, the end of the largest device");
  EXPECT_EQ(refusal("-1", read), "LBA: '-1' is negative");
  EXPECT_EQ(refusal("", read), "LBA is missing");
  EXPECT_EQ(refusal("0x10", read), "LBA: '0x10' has something after the number");
  EXPECT_EQ(refusal("18446744073709551616", read), "LBA: '18446744073709551616' is too large");
}

TEST(TextFields, LengthsEndAtFourGiB) {
  TextFields fields{"8388607", ','};
  EXPECT_EQ(fields.length("size", 512), 8388607U * 512);
  EXPECT_EQ(refusal("8388608", [](TextFields& f) { f.length("size", 512); }),
            "size: '8388608' is longer than one I/O can be (4 GiB)");
}

// Numbers of every length, with what may stand before and after them in a line.
TEST(TextFields, NumbersOfEveryLengthAreReadWhereverTheyStand) {
  std::uint64_t value = 0;
  for (std::uint64_t digits = 1; digits <= 20; ++digits) {
    value = value * 10 + digits % 10;
    if (digits == 20) value = std::numeric_limits<std::uint64_t>::max();
    const std::string text = std::to_string(value);
    for (const std::string before : {"", "7,", "1234567890,"}) {
      for (const std::string after : {"", ",", ",1", ",123456789", " ,2"}) {
        const std::string line = before + text + after;
        TextFields fields{line, ','};
        if (!before.empty()) fields.number("before");
        EXPECT_EQ(fields.number("value"), value) << line;
        EXPECT_TRUE(fields.ok()) << line << fields.why();
      }
    }
  }
  EXPECT_EQ(refusal("12345678x", [](TextFields& f) { f.number("n"); }),
            "n: '12345678x' has something after the number");
}

TEST(TextFields, BlanksAroundFieldsAreNoPartOfThem) {
  TextFields fields{"  1 ,  two words , 3", ','};
  EXPECT_EQ(fields.number("a"), 1U);
  EXPECT_EQ(fields.text("b"), "two words");
  EXPECT_EQ(fields.number("c"), 3U);
  EXPECT_TRUE(fields.at_end());
  EXPECT_TRUE(fields.ok());
  TextFields blanks{"\t1   2\t \t3  ", ' '};
  EXPECT_EQ(blanks.number("a") + blanks.number("b") + blanks.number("c"), 6U);
  EXPECT_TRUE(blanks.ok() && blanks.at_end());
}

TEST(TextFields, AnEmptyFieldIsThereButAMissingOneIsNot) {
  TextFields fields{"1,,", ','};
  fields.number("a");
  EXPECT_TRUE(fields.take_empty());
  EXPECT_EQ(fields.text("c"), "");
  EXPECT_TRUE(fields.ok());
  fields.text("d");
  EXPECT_EQ(fields.why(), "d is missing");
}

TEST(TextFields, TheFirstFaultIsTheOneTold) {
  TextFields fields{"x,-1", ','};
  EXPECT_EQ(fields.number("first"), 0U);
  EXPECT_EQ(fields.number("second"), 0U);
  EXPECT_EQ(fields.why(), "first: 'x' is no number");
}

TEST(TextFields, AnErrnoIsPositiveWhateverItsSign) {
  TextFields fields{"-5,5,0", ','};
  EXPECT_EQ(fields.errno_value("a"), 5);
  EXPECT_EQ(fields.errno_value("b"), 5);
  EXPECT_EQ(fields.errno_value("c"), 0);
  EXPECT_TRUE(fields.ok());
}

TEST(TextFields, UnitsOfTimeHaveFourNames) {
  EXPECT_EQ(time_unit_ns("ns"), 1);
  EXPECT_EQ(time_unit_ns("us"), 1'000);
  EXPECT_EQ(time_unit_ns("ms"), 1'000'000);
  EXPECT_EQ(time_unit_ns("s"), 1'000'000'000);
  EXPECT_THROW(static_cast<void>(time_unit_ns("min")), UsageError);
}

}  // namespace
}  // namespace rigel
