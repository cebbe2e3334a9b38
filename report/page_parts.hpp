// The files of the page, put into the program when it is built: its own, and Chart.js from the
// system's package. They live as long as the program.
#pragma once

#include <string_view>

namespace rigel {

struct PageParts {
  std::string_view html;           // with {{names}} where the rest goes
  std::string_view style;          // CSS
  std::string_view script;         // JavaScript, all files in order
  std::string_view chart_library;  // Chart.js, minified
  std::string_view chart_licence;
};

[[nodiscard]] PageParts page_parts();

}  // namespace rigel
