#include "traces/load_curve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

TEST(LoadCurve, LittlesLawFillsInWhatIsMissing) {
  LoadPoint rate{.outstanding = 4, .iops = 500, .request_bytes = 8192};
  complete_by_littles_law(rate);
  EXPECT_DOUBLE_EQ(rate.latency_ns, 8e6);  // 4 / 500 s
  EXPECT_DOUBLE_EQ(rate.bytes_per_second, 4096000);
  LoadPoint latency{.outstanding = 10, .latency_ns = 2e6};
  complete_by_littles_law(latency);
  EXPECT_DOUBLE_EQ(latency.iops, 5000);
  LoadPoint nothing{.outstanding = 10};
  complete_by_littles_law(nothing);
  EXPECT_EQ(nothing.iops, 0);
}

TEST(LoadCurve, CsvTakesColumnsInAnyOrderAndSkipsRemarks) {
  const LoadCurve curve =
      parse_load_curve_csv("# array x\niops,outstanding,hit_ratio\n100,1,0.5\n150, 2,\n", "x.csv");
  ASSERT_THAT(curve.points, SizeIs(2));
  EXPECT_EQ(curve.points[1].outstanding, 2);
  EXPECT_EQ(curve.points[1].iops, 150);
  EXPECT_EQ(curve.points[0].hit_ratio, 0.5);
  EXPECT_FALSE(curve.points[1].hit_ratio.has_value());
}

TEST(LoadCurve, CsvWrittenIsCsvRead) {
  LoadCurve curve;
  curve.points.push_back({.outstanding = 8, .iops = 639, .latency_ns = 12.51e6, .hit_ratio = 0.25});
  const LoadCurve again = parse_load_curve_csv(to_csv(curve), "again");
  ASSERT_THAT(again.points, SizeIs(1));
  EXPECT_EQ(again.points[0].iops, 639);
  EXPECT_EQ(again.points[0].latency_ns, 12.51e6);
  EXPECT_EQ(again.points[0].hit_ratio, 0.25);
}

TEST(LoadCurve, CsvErrorsNameTheLineAndTheCell) {
  const auto parsing = [](const char* text) {
    return [text] { (void)parse_load_curve_csv(text, "x.csv"); };
  };
  EXPECT_THAT(parsing("outstanding,iops\n1,-4\n"),
              ThrowsMessage<Error>(HasSubstr("x.csv: line 2: '-4' is no iops")));
  EXPECT_THAT(parsing("outstanding,iops\n1,4,5\n"),
              ThrowsMessage<Error>(HasSubstr("line 2: 3 cells where the header has 2")));
  EXPECT_THAT(parsing("outstanding,iops\n1,nan\n"), ThrowsMessage<Error>(HasSubstr("'nan'")));
  EXPECT_THAT(parsing("outstanding,hit_ratio,iops\n1,2,3\n"),
              ThrowsMessage<Error>(HasSubstr("hit_ratio 2 is not between 0 and 1")));
  EXPECT_THAT(parsing("outstanding,iops\n1,\n"),
              ThrowsMessage<Error>(HasSubstr("neither iops nor latency_ns")));
  EXPECT_THAT(parsing("outstanding,iops\n"), ThrowsMessage<Error>(HasSubstr("no point")));
}

TEST(LoadCurve, JsonPointsAreRead) {
  const LoadCurve curve = parse_load_curve_json(
      R"({"schema":1,"points":[{"outstanding":2,"iops":8482,"latency_ns":240000,"hit_ratio":null}]})",
      "r.json");
  ASSERT_THAT(curve.points, SizeIs(1));
  EXPECT_EQ(curve.points[0].latency_ns, 240000);
  EXPECT_FALSE(curve.points[0].hit_ratio.has_value());
  EXPECT_EQ(to_json(curve.points[0]).at("iops"), 8482);
}

TEST(LoadCurve, AReplayResultIsOnePointWhoseDepthLittlesLawGives) {
  const LoadCurve curve = parse_load_curve_json(
      R"({"schema":1,"iops":4000,"bytes_per_second":1e6,"service_time_ns":{"mean":8e6}})", "r");
  ASSERT_THAT(curve.points, SizeIs(1));
  EXPECT_DOUBLE_EQ(curve.points[0].outstanding, 32);
}

TEST(LoadCurve, JsonOfAnotherSchemaOrOfNoneIsRefused) {
  const auto with = [](const std::string& schema) {
    return "{\"points\":[{\"outstanding\":2,\"iops\":8482}]" + schema + "}";
  };
  EXPECT_THAT(parse_load_curve_json(with(R"(,"schema":1)"), "r.json").points, SizeIs(1));
  for (const char* schema : {R"(,"schema":2)", R"(,"schema":0)", R"(,"schema":1.5)",
                             R"(,"schema":"1")", R"(,"schema":null)", ""}) {
    EXPECT_THAT([&] { (void)parse_load_curve_json(with(schema), "r.json"); },
                ThrowsMessage<Error>(AllOf(HasSubstr("r.json"), HasSubstr("schema"))))
        << schema;
  }
}

TEST(LoadCurve, JsonWithoutACurveIsRefused) {
  for (const char* text :
       {"{", "{}", R"({"schema":1,"points":[]})", R"({"schema":1,"points":[{"outstanding":1}]})",
        R"({"schema":1,"points":[{"iops":"x"}]})", R"({"schema":1,"points":[{"iops":-1}]})"}) {
    EXPECT_THAT([&] { (void)parse_load_curve_json(text, "bad.json"); },
                ThrowsMessage<Error>(HasSubstr("bad.json")))
        << text;
  }
}

}  // namespace
}  // namespace rigel
