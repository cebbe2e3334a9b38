#include "report/page_parts.hpp"

// The assembler reads the files; their paths come from CMakeLists.txt.
#define RIGEL_EMBED(name, path)                               \
  asm(".pushsection .rodata\n"                                \
      ".global rigel_page_" #name "_begin, rigel_page_" #name \
      "_end\n"                                                \
      "rigel_page_" #name "_begin:\n.incbin \"" path          \
      "\"\n"                                                  \
      "rigel_page_" #name "_end:\n.byte 0\n.popsection\n");   \
  extern "C" const char rigel_page_##name##_begin[];          \
  extern "C" const char rigel_page_##name##_end[]

RIGEL_EMBED(html, RIGEL_PAGE_HTML);
RIGEL_EMBED(style, RIGEL_PAGE_STYLE);
RIGEL_EMBED(script, RIGEL_PAGE_SCRIPT);
RIGEL_EMBED(chart_library, RIGEL_CHART_LIBRARY);
RIGEL_EMBED(chart_licence, RIGEL_CHART_LICENCE);

namespace rigel {

PageParts page_parts() {
  const auto part = [](const char* begin, const char* end) {
    return std::string_view{begin, static_cast<std::size_t>(end - begin)};
  };
  return {part(rigel_page_html_begin, rigel_page_html_end),
          part(rigel_page_style_begin, rigel_page_style_end),
          part(rigel_page_script_begin, rigel_page_script_end),
          part(rigel_page_chart_library_begin, rigel_page_chart_library_end),
          part(rigel_page_chart_licence_begin, rigel_page_chart_licence_end)};
}

}  // namespace rigel
