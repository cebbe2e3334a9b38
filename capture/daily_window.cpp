#include "capture/daily_window.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr int kMinutesOfDay = 24 * 60;

// `minute` of the day that lies `days` after that of `now`; minutes beyond the day's end carry
// over.
std::time_t time_at(std::time_t now, int days, int minute) {
  std::tm local{};
  localtime_r(&now, &local);
  local.tm_mday += days;
  local.tm_hour = minute / 60;
  local.tm_min = minute % 60;
  local.tm_sec = 0;
  local.tm_isdst = -1;
  return std::mktime(&local);
}

}  // namespace

DailyWindow::DailyWindow(std::string_view text) {
  int hours[2]{};
  int minutes[2]{};
  int used = 0;
  const std::string whole{text};
  const int fields = std::sscanf(whole.c_str(), "%2d:%2d-%2d:%2d%n", &hours[0], &minutes[0],
                                 &hours[1], &minutes[1], &used);
  const auto minute_of = [&](int i) {
    const bool is_time = hours[i] >= 0 && minutes[i] >= 0 && minutes[i] < 60 &&
                         hours[i] * 60 + minutes[i] <= kMinutesOfDay;
    return is_time ? hours[i] * 60 + minutes[i] : -1;
  };
  begin_minute_ = minute_of(0);
  end_minute_ = minute_of(1);
  if (fields != 4 || static_cast<std::size_t>(used) != whole.size() || begin_minute_ < 0 ||
      begin_minute_ == kMinutesOfDay || end_minute_ < 0) {
    throw UsageError{fmt::format("'{}' is no stretch of the day, such as 22:00-23:00", text)};
  }
  if (begin_minute_ == end_minute_) throw UsageError{fmt::format("'{}' is empty", text)};
}

DailyWindow::Stretch DailyWindow::at(std::time_t now) const {
  const int end = end_minute_ > begin_minute_ ? end_minute_ : end_minute_ + kMinutesOfDay;
  for (int days = -1;; ++days) {
    const Stretch stretch{.begin = time_at(now, days, begin_minute_),
                          .end = time_at(now, days, end)};
    if (stretch.end > now) return stretch;
  }
}

}  // namespace rigel
