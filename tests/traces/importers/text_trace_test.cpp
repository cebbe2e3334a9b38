// What happens to lines that cannot be read, in whatever text format.
#include "traces/importers/text_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/importers/imported.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::HasSubstr;

const std::string kGood = "0,100,512,R,0.5\n";  // SPC
const std::string kBad = "0,junk,512,R,0.5\n";

std::string repeated(const std::string& line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line;
  return text;
}

TEST(TextTrace, ABadLineIsDamageWithItsPlaceAndReadingGoesOn) {
  const Imported trace = import_text(kGood + kBad + kGood);
  EXPECT_EQ(trace.records.size(), 2U);
  ASSERT_EQ(trace.tables.damage.size(), 1U);
  EXPECT_EQ(trace.tables.damage[0].offset_bytes, kGood.size());
  EXPECT_EQ(trace.tables.damage[0].length_bytes, kBad.size());
  EXPECT_EQ(trace.tables.damage[0].records_lost, 1U);
  EXPECT_EQ(trace.tables.damage[0].reason, "line 2: LBA: 'junk' is no number");
}

TEST(TextTrace, ManyBadLinesAreCountedNotListed) {
  const Imported trace = import_text(repeated(repeated(kGood, 20) + kBad, 250));
  EXPECT_EQ(trace.records.size(), 5000U);
  ASSERT_EQ(trace.tables.damage.size(), TextTrace::kListedDamage + 1);
  const Damage& rest = trace.tables.damage.back();
  EXPECT_EQ(rest.records_lost, 250 - TextTrace::kListedDamage);
  EXPECT_THAT(rest.reason, HasSubstr("150 more lines, the first of them line 2121: LBA"));
}

TEST(TextTrace, AnInputOfMostlyBadLinesIsRefused) {
  try {
    import_text(repeated(kGood, 500) + repeated(kBad, 200));
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("input: 101 of the first 601 lines cannot be read"));
    EXPECT_THAT(error.what(), HasSubstr("line 501: LBA: 'junk'"));
  }
}

TEST(TextTrace, AnInputWithoutAnyGoodLineIsRefusedForTheFirstOne) {
  try {
    import_text(repeated(kBad, 3), with_format("spc"));
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "input: line 1: LBA: 'junk' is no number");
  }
}

TEST(TextTrace, ALineOfZerosAfterACrashIsOneBadLine) {
  const Imported trace = import_text(kGood + kGood + std::string(200'000, '\0'));
  EXPECT_EQ(trace.records.size(), 2U);
  ASSERT_EQ(trace.tables.damage.size(), 1U);
  EXPECT_THAT(trace.tables.damage[0].reason, HasSubstr("line 3: longer than 64 KiB"));
}

TEST(TextTrace, TimesThatGoBackAreToldUpToALimit) {
  std::string text = "0,1,512,R,100\n";
  for (int i = 0; i < 80; ++i) text += "0,1,512,R,1\n";
  const Imported trace = import_text(text);
  EXPECT_EQ(trace.records.size(), 81U);
  ASSERT_EQ(trace.tables.warnings.size(), TextTrace::kListedWarnings / 2 + 1);
  EXPECT_EQ(trace.tables.warnings.front(), "line 2: time goes back by 99.0 s (99000000000 ns)");
  EXPECT_EQ(trace.tables.warnings.back(), "time goes back for 80 records in all");
}

TEST(TextTrace, OnlyTheColumnsAskedForAreHandedOut) {
  OpenOptions options;
  options.columns = {Column::kOffset, Column::kCpu};
  EXPECT_EQ(import_text(kGood, options).columns, ColumnSet{Column::kOffset});
}

}  // namespace
}  // namespace rigel
