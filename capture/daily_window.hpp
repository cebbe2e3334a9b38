// A stretch of every day, "22:00-23:00" of local time, "22:00-06:30" past midnight.
#pragma once

#include <ctime>
#include <string_view>

namespace rigel {

class DailyWindow {
 public:
  // Throws UsageError that repeats the text.
  explicit DailyWindow(std::string_view text);

  struct Stretch {
    std::time_t begin;
    std::time_t end;
  };
  // The one that `now` lies in, otherwise the next. Days on which clocks are changed are as long as
  // they are.
  [[nodiscard]] Stretch at(std::time_t now) const;

 private:
  int begin_minute_ = 0;
  int end_minute_ = 0;
};

}  // namespace rigel
