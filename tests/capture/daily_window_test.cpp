#include "capture/daily_window.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "traces/error.hpp"

namespace rigel {
namespace {

class DailyWindowTest : public testing::Test {
 protected:
  void SetUp() override { use_zone("Europe/Berlin"); }
  void TearDown() override { use_zone("UTC"); }
  static void use_zone(const char* name) {
    setenv("TZ", name, 1);
    tzset();
  }
  static std::time_t at(const char* text) {
    std::tm local{};
    EXPECT_NE(strptime(text, "%Y-%m-%d %H:%M:%S", &local), nullptr);
    local.tm_isdst = -1;
    return std::mktime(&local);
  }
};

TEST_F(DailyWindowTest, TheNextOneOrTheOneUnderWay) {
  const DailyWindow window{"22:00-23:00"};
  for (const char* now : {"2026-11-30 00:00:00", "2026-11-30 21:59:59", "2026-11-30 22:00:00",
                          "2026-11-30 22:59:59"}) {
    EXPECT_EQ(window.at(at(now)).begin, at("2026-11-30 22:00:00")) << now;
    EXPECT_EQ(window.at(at(now)).end, at("2026-11-30 23:00:00")) << now;
  }
  EXPECT_EQ(window.at(at("2026-11-30 23:00:00")).begin, at("2026-12-01 22:00:00"));
  EXPECT_EQ(window.at(at("2026-12-31 23:30:00")).begin, at("2027-01-01 22:00:00"));
}

TEST_F(DailyWindowTest, PastMidnightItBeganYesterday) {
  const DailyWindow window{"22:00-06:30"};
  EXPECT_EQ(window.at(at("2026-12-01 02:00:00")).begin, at("2026-11-30 22:00:00"));
  EXPECT_EQ(window.at(at("2026-12-01 02:00:00")).end, at("2026-12-01 06:30:00"));
  EXPECT_EQ(window.at(at("2026-12-01 06:30:00")).begin, at("2026-12-01 22:00:00"));
  EXPECT_EQ((DailyWindow{"23:00-24:00"}).at(at("2026-12-01 12:00:00")).end,
            at("2026-12-02 00:00:00"));
}

// 2026-10-25 03:00 CEST becomes 02:00 CET, 2026-03-29 02:00 CET becomes 03:00 CEST.
TEST_F(DailyWindowTest, DaysOnWhichClocksChange) {
  const auto length = [](const DailyWindow& window, std::time_t now) {
    const DailyWindow::Stretch stretch = window.at(now);
    return stretch.end - stretch.begin;
  };
  const DailyWindow night{"22:00-06:00"};
  EXPECT_EQ(length(night, at("2026-10-24 23:00:00")), 9 * 3600);
  EXPECT_EQ(length(night, at("2026-03-28 23:00:00")), 7 * 3600);
  EXPECT_EQ(length(night, at("2026-06-01 23:00:00")), 8 * 3600);
}

TEST_F(DailyWindowTest, WhatIsNoWindowIsRefused) {
  for (const char* text : {"", "22:00", "22-23", "22:00-23:00x", "22:60-23:00", "24:00-25:00",
                           "22:00-24:01", "-1:00-02:00", "22:00-22:00", "22:00 - 23:00 daily"}) {
    EXPECT_THROW(DailyWindow{text}, UsageError) << text;
  }
}

}  // namespace
}  // namespace rigel
