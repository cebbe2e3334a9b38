// Whole imported traces, for tests.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/importer.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

struct Imported {
  std::vector<IoRecord> records;
  TraceTables tables;
  ColumnSet columns;  // of any batch
};

inline Imported read_import(TraceSource& source) {
  Imported imported;
  RecordBatch batch;
  while (source.next(batch)) {
    imported.columns = imported.columns | batch.present;
    for (std::size_t i = 0; i < batch.size(); ++i) imported.records.push_back(batch.record(i));
  }
  imported.tables = source.tables();
  return imported;
}

inline Imported import_files(const std::vector<std::string>& paths,
                             const OpenOptions& options = {}) {
  return read_import(*open_trace(paths, options));
}

// Inputs in memory; the first is called "input", as in messages.
inline Imported import_texts(std::initializer_list<std::string_view> texts,
                             const OpenOptions& options = {}) {
  std::vector<std::unique_ptr<ByteSource>> inputs;
  for (const std::string_view text : texts) {
    inputs.push_back(memory_source(std::as_bytes(std::span{text}), "input"));
  }
  return read_import(*open_inputs(std::move(inputs), options));
}

inline Imported import_text(std::string_view text, const OpenOptions& options = {}) {
  return import_texts({text}, options);
}

[[nodiscard]] inline OpenOptions with_format(std::string format) {
  OpenOptions options;
  options.format = std::move(format);
  return options;
}
[[nodiscard]] inline OpenOptions with_time_unit(std::string unit) {
  OpenOptions options;
  options.time_unit = std::move(unit);
  return options;
}

// The real traces; a test that cannot find them fails.
[[nodiscard]] inline std::string test_data(const std::string& path) {
  const std::string full = std::string{RIGEL_TEST_DATA} + "/" + path;
  if (!std::filesystem::exists(full)) {
    throw std::runtime_error{full + " is missing: set RIGEL_TEST_DATA to the directory of traces"};
  }
  return full;
}
[[nodiscard]] inline std::string test_file(const std::string& path) {
  return std::string{RIGEL_TEST_FILES} + "/" + path;
}

}  // namespace rigel
