#include "report/report_page.hpp"

#include <gtest/gtest.h>

#include <string>

#include "traces/error.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

// What the page gives its script, parsed as a browser would: up to the end of the element.
Json data_of(const std::string& page) {
  const std::string mark = "id=\"results\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

Json curve() {
  return {{"schema", 1}, {"points", {{{"outstanding", 1}, {"iops", 121}, {"latency_ns", 8.25e6}}}}};
}

TEST(ReportPage, HoldsEachResultWithItsKind) {
  const Json data = data_of(report_page("A title", {{"a.json", curve()}, {"b.json", curve()}}));
  ASSERT_EQ(data["inputs"].size(), 2U);
  EXPECT_EQ(data["inputs"][1]["name"], "b.json");
  EXPECT_EQ(data["inputs"][1]["kind"], "curve");
  EXPECT_EQ(data["inputs"][1]["result"], curve());
}

TEST(ReportPage, NamesThatLookLikeMarkupStayText) {
  const std::string attack = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>";
  Json result = curve();
  result["work"] = attack;
  const std::string plain = report_page("t", {{"n", curve()}});
  const std::string page = report_page(attack, {{attack, result}});
  EXPECT_EQ(count(page, "<script"), count(plain, "<script"));
  EXPECT_EQ(count(page, "</script"), count(plain, "</script"));
  EXPECT_EQ(count(page, "<!--"), count(plain, "<!--"));
  EXPECT_EQ(count(page, "<img"), count(plain, "<img"));
  const Json data = data_of(page);
  EXPECT_EQ(data["inputs"][0]["name"], attack);
  EXPECT_EQ(data["inputs"][0]["result"]["work"], attack);
}

TEST(ReportPage, PlacesInATitleAreNotFilledIn) {
  const std::string page = report_page("{{licence}}{{results}}", {{"n", curve()}});
  EXPECT_NE(page.find("<title>{{licence}}{{results}}</title>"), std::string::npos);
}

TEST(ReportPage, BytesThatAreNoTextAreReplaced) {
  const Json data = data_of(report_page("\xff", {{"\xfe\xff", curve()}}));
  EXPECT_EQ(data["inputs"][0]["name"], "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(ReportPage, NamesNoOtherFileAndNoServer) {
  const std::string page = report_page("t", {{"n", curve()}});
  for (const char* reference : {"src=\"", "href=\"http", "@import", "url(http"}) {
    EXPECT_EQ(count(page, reference), 0U) << reference;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("Permission is hereby granted"), std::string::npos) << "Chart.js' licence";
}

TEST(ReportPage, RefusesWhatItCannotShow) {
  EXPECT_THROW(report_page("t", {{"n", Json{{"schema", 1}}}}), Error);
}

TEST(ReportPage, OfATraceOfManyProcessesAndDevicesIsBelowTwoMegabytes) {
  Json trace{{"schema", 1}, {"clock", ""}, {"devices", Json::array()}, {"streams", Json::array()}};
  const Json row(128, 123'456'789);
  for (int i = 0; i < 64; ++i) {
    trace["devices"].push_back({{"name", "device" + std::to_string(i)},
                                {"heat_map", {{"column_ns", 1}, {"rows", Json(64, row)}}}});
  }
  for (int i = 0; i < 20'000; ++i) {
    trace["streams"].push_back(
        {{"comm", "postgres"}, {"pid", i}, {"mean_response_ns", 392741.9004}});
  }
  trace["latency_map"] = {{"column_ns", 1}, {"rows", Json(108, row)}};
  Json& timeline = trace["timeline"];
  const Json series(512, 6880.102643003042);
  timeline = {{"interval_ns", 1}, {"iops", series}, {"bytes_per_second", series}};
  for (int i = 0; i < 64; ++i) {
    timeline["roles"]["role" + std::to_string(i)] = {{"iops", series},
                                                     {"bytes_per_second", series}};
  }
  EXPECT_LT(report_page("t", {{"n", trace}}).size(), 2'000'000U);
}

}  // namespace
}  // namespace rigel
