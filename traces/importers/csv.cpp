// CSV with a header line, ours and other people's. What the columns are and in which unit is taken
// from their names (csv_header.cpp); what they do not settle must be said by an option. Ours begins
// with "# rigel csv 1", and keeps the tables in lines "# devices {…}" before their first use.
#include <fmt/format.h>

#include <algorithm>

#include "traces/error.hpp"
#include "traces/importers/csv_header.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/table_text.hpp"

namespace rigel {
namespace {

constexpr std::string_view kOwnFirstLine = "# rigel csv 1";

class CsvParser final : public LineParser {
 public:
  CsvParser(OpenOptions options, std::string name)
      : options_{std::move(options)}, name_{std::move(name)} {}

  [[nodiscard]] ColumnSet columns() const override {
    return parser_ ? parser_->columns() : ColumnSet{};
  }
  // Ours is in the order of the trace it came from, which may be any.
  [[nodiscard]] bool ordered_by_time() const override { return !own_; }

  void parse(std::string_view line, LineOutput& out) override {
    if (line.front() == '#') return comment(line, out);
    if (!parser_ || (own_ && is_own_header(line))) return header(line, out);
    if (line.find('"') != std::string_view::npos) {
      if (!unquote_cells(line, parser_->layout().separator, unquoted_)) {
        return out.refuse("a quoted cell holds a separator or has no end");
      }
      line = unquoted_;
    }
    parser_->parse(line, out);
  }

 private:
  void comment(std::string_view line, LineOutput& out) {
    if (line == kOwnFirstLine) own_ = true;
    if (!own_ || line == kOwnFirstLine) return;
    const std::size_t name = line.find_first_not_of("# ");
    const std::size_t blank = line.find(' ', name);
    if (blank == std::string_view::npos) return out.refuse("a table without entries");
    if (!apply_table_line(line.substr(name, blank - name), line.substr(blank + 1), out.tables)) {
      out.refuse(fmt::format("no table of ours: '{}'", line.substr(0, 40)));
    }
  }
  void header(std::string_view line, LineOutput& out) {
    CsvHeader header = parse_csv_header(line, options_, own_);
    if (!header.refusal.empty()) {
      throw Error{fmt::format("{}: line {}: {}", name_, out.line_number(), header.refusal)};
    }
    for (const std::string& doubt : header.doubts) out.warn(doubt);
    if (!header.ignored.empty()) out.tables.meta.extra["ignored_columns"] = header.ignored;
    parser_.emplace(std::move(header.layout));
  }

  OpenOptions options_;
  std::string name_;
  bool own_ = false;
  std::optional<LayoutParser> parser_;  // once the header is known
  std::string unquoted_;
};

bool sniff(const SniffInput& input) {
  std::string_view text = text_head(input);
  if (text.starts_with(kOwnFirstLine)) return true;
  std::string_view line;
  while (!text.empty() && (line.empty() || line.front() == '#')) line = take_line(text);
  if (line.empty() || line.front() == '#') return false;
  // Whether the unit is known is for the one who opens it to say.
  OpenOptions options;
  options.time_unit = "s";
  const CsvHeader header = parse_csv_header(line, options, false);
  const auto meaningful =
      std::count_if(header.layout.fields.begin(), header.layout.fields.end(),
                    [](const FieldLayout& field) { return field.kind != Field::kIgnored; });
  return header.refusal.empty() && meaningful >= 2;
}

}  // namespace

const Importer import::kCsv{"csv", "CSV with a header line", sniff,
                            [](std::vector<std::unique_ptr<ByteSource>> inputs,
                               const OpenOptions& options) -> std::unique_ptr<TraceSource> {
                              auto input = only_input(std::move(inputs), "CSV");
                              const std::string name = input->name();
                              return std::make_unique<TextTrace>(
                                  std::move(input), std::make_unique<CsvParser>(options, name),
                                  "CSV", options.columns);
                            }};

}  // namespace rigel
