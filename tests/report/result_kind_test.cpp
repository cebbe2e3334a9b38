#include "report/result_kind.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

TEST(ResultKind, IsToldByWhatIsInIt) {
  const auto kind = [](const char* text) { return result_kind(Json::parse(text)); };
  EXPECT_EQ(kind(R"({"schema": 1, "points": [], "hypotheses": []})"), "explanation");
  EXPECT_EQ(kind(R"({"schema": 1, "points": []})"), "curve");
  EXPECT_EQ(kind(R"({"schema": 1, "fidelity": {}, "issued": 0, "points": []})"), "replay");
  EXPECT_EQ(kind(R"({"schema": 1, "page_bytes": 8192, "results": []})"), "model");
  EXPECT_EQ(kind(R"({"schema": 1, "same": true, "differences": []})"), "comparison");
  EXPECT_EQ(kind(R"({"schema": 1, "same": null, "differences": []})"), "comparison");
  EXPECT_EQ(kind(R"({"differences": [], "same": false, "schema": 1})"), "comparison");
}

TEST(ResultKind, OfWhatNoReportShowsIsNothing) {
  for (const char* text :
       {"[]", "5", "{}", R"({"points": []})", R"({"schema": 1})", R"({"schema": 1, "points": 5})",
        R"({"schema": 1, "page_bytes": "8k", "results": []})"}) {
    EXPECT_EQ(result_kind(Json::parse(text)), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace rigel
