#include "traces/importer.hpp"

#include <fmt/format.h>

#include <array>

#include "traces/decompress.hpp"
#include "traces/error.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/importers/text_fields.hpp"
#include "traces/peekable_source.hpp"

namespace rigel {

namespace {

constexpr std::size_t kHeadBytes = std::size_t{64} << 10;

constexpr const char* kWhereFormatsAre = "'rigel help formats' lists them";

void check_time_unit(const std::string& unit, const Importer& importer, const std::string& file) {
  static_cast<void>(time_unit_ns(unit));
  if (!importer.fixed_time_unit) return;
  throw UsageError{fmt::format("{}: a time unit makes no sense for {}, which leaves no choice",
                               file, importer.name)};
}

const Importer& importer_named(const std::string& name) {
  for (const Importer& importer : importers()) {
    if (importer.name == name) return importer;
  }
  throw UsageError{fmt::format("'{}' is no format that can be read: {}", name, kWhereFormatsAre)};
}

std::string_view base_name(const std::string& path) {
  return std::string_view{path}.substr(path.rfind('/') + 1);
}

const Importer& recognise(PeekableSource& input) {
  const SniffInput sniff{input.peek(kHeadBytes), base_name(input.name())};
  if (sniff.head.empty()) throw Error{fmt::format("{}: the file is empty", input.name())};
  for (const Importer& importer : importers()) {
    if (importer.sniff(sniff)) return importer;
  }
  throw Error{fmt::format("{}: not recognised as any format rigel reads ({}; --format names one)",
                          input.name(), kWhereFormatsAre)};
}

}  // namespace

std::span<const Importer> importers() {
  // Formats with a magic number first, then lines from the most to the least particular, then
  // binary formats that can only be told by their looks.
  static const std::array kImporters{
      import::kRgt,
      import::kBlktrace,
      import::kFioIolog3,
      import::kFioIolog2,
      import::kVscsi1,
      import::kVscsi2,
      import::kJsonl,
      import::kBlkreplay,
      import::kCsv,
      import::kBiosnoop,
      import::kTracepoints,
      import::kBlkparse,
      import::kMsr,
      import::kAlibaba,
      import::kSpc,
      import::kTencent,
      import::kCydonia,
      import::kFioIolog1,
      import::kDisksimValidation,
      import::kDisksim,
      import::kMqsim,
      import::kArc,
      import::kLirs,
      import::kOracleGeneral,
      import::kCache2k,
  };
  return kImporters;
}

std::unique_ptr<TraceSource> open_inputs(std::vector<std::unique_ptr<ByteSource>> files,
                                         const OpenOptions& options) {
  const Importer* importer = options.format.empty() ? nullptr : &importer_named(options.format);
  std::vector<std::unique_ptr<ByteSource>> inputs;
  const std::string set_name = files.empty() ? "" : files.front()->name();
  std::string first_name;
  for (auto& file : files) {
    auto input = std::make_unique<PeekableSource>(decompress(std::move(file)));
    // A CPU that saw no I/O leaves an empty file; only a trace of nothing but those is refused.
    if (files.size() > 1 && input->peek(1).empty()) continue;
    if (options.format.empty()) {
      const Importer& found = recognise(*input);
      if (importer != nullptr && importer != &found) {
        throw Error{fmt::format("{} is {}, but {} is {}: only files of one kind make a set",
                                first_name, importer->name, input->name(), found.name)};
      }
      importer = &found;
    }
    if (inputs.empty()) first_name = input->name();
    inputs.push_back(std::move(input));
  }
  if (inputs.empty()) throw Error{fmt::format("{}: all files of the set are empty", set_name)};
  if (options.time_unit) check_time_unit(*options.time_unit, *importer, first_name);
  return importer->open(std::move(inputs), options);
}

std::unique_ptr<TraceSource> open_trace(const std::vector<std::string>& paths,
                                        const OpenOptions& options) {
  if (paths.empty()) throw UsageError{"no trace given"};
  std::vector<std::unique_ptr<ByteSource>> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) files.push_back(open_file(path));
  return open_inputs(std::move(files), options);
}

}  // namespace rigel
