// Traces of bare page numbers, as cache papers publish them; page n lies at n times the record page
// (4 KiB unless said otherwise). They know no times, devices or operations.
//   ARC's .lis (Megiddo and Modha, FAST 2003): "start count ignored request": a run of pages
//   LIRS's (Jiang and Zhang, SIGMETRICS 2002): one page a line; "*" marks where a run began
#include "traces/importers/importer_list.hpp"
#include "traces/importers/line_layout.hpp"

namespace rigel {
namespace {

LineLayout arc_layout(const OpenOptions& options) {
  return {.source_name = "ARC page runs",
          .separator = ' ',
          .fields = {{"start", Field::kOffset, options.record_page_bytes},
                     {"count", Field::kLength, options.record_page_bytes},
                     {"ignored", Field::kIgnored, 1},
                     {"request", Field::kIgnored, 1}}};
}

LineLayout lirs_layout(const OpenOptions& options) {
  return {.source_name = "LIRS page list",
          .separator = ' ',
          .fields = {{"page", Field::kOffset, options.record_page_bytes}},
          .fixed_length_bytes = options.record_page_bytes,
          .skipped = '*'};
}

}  // namespace

namespace import {
const Importer kArc{"arc", "ARC .lis, runs of pages", sniff_layout<arc_layout>,
                    open_layout<arc_layout>};
const Importer kLirs{"lirs", "LIRS page list, one page a line", sniff_layout<lirs_layout>,
                     open_layout<lirs_layout>};
}  // namespace import

}  // namespace rigel
