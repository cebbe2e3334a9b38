#include "report/report_page.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "report/page_parts.hpp"
#include "report/result_kind.hpp"
#include "report/thinning.hpp"
#include "traces/error.hpp"
#include "traces/printable.hpp"
#include "traces/version.hpp"

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;
using Places = std::array<std::pair<std::string_view, std::string>, 7>;

// Text of an HTML element.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// JSON inside a script element, whose end (and that of a comment) begins with '<' in every form.
// In JSON that character stands in strings only, where it can be written as an escape.
std::string inert_json(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  return result;
}

// The template with each {{name}} replaced, once: what is put in is not looked at again.
std::string filled(std::string_view text, const Places& places) {
  std::string page;
  while (!text.empty()) {
    const std::size_t open = text.find("{{");
    const std::size_t close = text.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    page += text.substr(0, open);
    const std::string_view name = text.substr(open + 2, close - open - 2);
    for (const auto& [place, content] : places) {
      if (place == name) page += content;
    }
    text.remove_prefix(close + 2);
  }
  return page += text;
}

}  // namespace

std::string report_page(const std::string& title, std::vector<ReportInput> inputs) {
  Json list = Json::array();
  for (ReportInput& input : inputs) {
    const auto kind = result_kind(input.result);
    if (!kind) throw Error{fmt::format("{}: no result that a report shows", input.name)};
    thin_result(input.result);
    list.push_back({{"name", input.name}, {"kind", *kind}, {"result", std::move(input.result)}});
  }
  const PageParts parts = page_parts();
  const Places places{{{"title", escaped(printable(title))},
                       {"style", std::string{parts.style}},
                       {"version", kVersion},
                       {"licence", escaped(parts.chart_licence)},
                       {"results", inert_json({{"inputs", std::move(list)}})},
                       {"chart_library", std::string{parts.chart_library}},
                       {"script", std::string{parts.script}}}};
  return filled(parts.html, places);
}

}  // namespace rigel
