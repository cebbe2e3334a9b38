#include "traces/exporter.hpp"

#include <fmt/format.h>

#include <array>

#include "traces/byte_sink.hpp"
#include "traces/error.hpp"
#include "traces/exporters/exporter_list.hpp"
#include "traces/trace_writer.hpp"

namespace rigel {
namespace {

constexpr std::string_view kDefaultFormat = "rgt";

std::unique_ptr<TraceSink> create_rgt(const std::string& path, const ExportOptions&) {
  return std::make_unique<TraceWriter>(create_file(path));
}

}  // namespace

std::span<const Exporter> exporters() {
  static const std::array kExporters{
      Exporter{"rgt", ".rgt", "rigel's own format: everything, compressed", create_rgt},
      exporting::kCsv,
      exporting::kJsonl,
      exporting::kFioIolog3,
      exporting::kOracleGeneral,
      exporting::kBlkparse,
      exporting::kSqlite,
  };
  return kExporters;
}

const Exporter& find_exporter(const std::string& path, const ExportOptions& options) {
  const std::string_view wanted =
      options.format.empty() && path == "-" ? kDefaultFormat : std::string_view{options.format};
  std::string known;
  for (const Exporter& exporter : exporters()) {
    if (wanted.empty() ? path.ends_with(exporter.suffix) : exporter.name == wanted) return exporter;
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", exporter.name, exporter.suffix);
  }
  throw UsageError{
      wanted.empty()
          ? fmt::format("{}: its suffix names no format that can be written: {}", path, known)
          : fmt::format("'{}' is no format that can be written: {}", wanted, known)};
}

std::unique_ptr<TraceSink> create_trace(const std::string& path, const ExportOptions& options) {
  return find_exporter(path, options).create(path, options);
}

}  // namespace rigel
