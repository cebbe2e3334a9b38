#include "cli/orion_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cli/options.hpp"
#include "replay/buffer_pool.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

template <typename Value>
struct Choice {
  std::string_view name;
  Value value;
};
template <typename Value>
Choice(const char*, Value) -> Choice<Value>;
constexpr std::array kMatrices{
    Choice{"basic", OrionMatrix::kBasic}, Choice{"detailed", OrionMatrix::kDetailed},
    Choice{"point", OrionMatrix::kPoint}, Choice{"col", OrionMatrix::kCol},
    Choice{"row", OrionMatrix::kRow},     Choice{"max", OrionMatrix::kMax}};
constexpr std::array kTypes{Choice{"rand", false}, Choice{"seq", true}};
constexpr std::array kLayouts{Choice{"concat", false}, Choice{"raid0", true}};
constexpr std::array kStyles{Choice{"11.1", OrionStyle::k111}, Choice{"11.2", OrionStyle::k112},
                             Choice{"19c", OrionStyle::k19c}};

// What -run stands for.
struct RunKind {
  std::string_view name;
  OrionMatrix matrix;
  std::optional<std::uint32_t> num_small;
  std::optional<std::uint32_t> num_large;
};
constexpr std::array kRuns{RunKind{"simple", OrionMatrix::kBasic, {}, {}},
                           RunKind{"normal", OrionMatrix::kDetailed, {}, {}},
                           RunKind{"advanced", OrionMatrix::kBasic, {}, {}},
                           RunKind{"oltp", OrionMatrix::kRow, {}, 0},
                           RunKind{"dss", OrionMatrix::kCol, 0, {}}};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return text;
}

template <typename Table>
const auto& choose(const Table& table, const std::string& text, std::string_view option) {
  std::string names;
  for (const auto& choice : table) {
    if (choice.name == lower(text)) return choice;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", choice.name);
  }
  throw UsageError{fmt::format("-{} {}: is none of {}", option, text, names)};
}

CommandOptions describe() {
  CommandOptions options{
      "orion", "-run KIND [OPTIONS]",
      "Measures storage as Oracle's ORION does: reads the LUNs named in <testname>.lun at a\n"
      "ladder of loads and leaves ORION's files behind. Options of ORION's take one dash or two.\n"
      "A thread issues each sequential stream, or every 16 random I/Os, as far as there are CPUs."};
  const auto text = [] { return po::value<std::string>(); };
  const auto count = [] { return po::value<CountArg>(); };
  options.add()("run", text(), "simple, normal, advanced, oltp or dss")(
      "testname", text(), "prefix of all files (orion); <testname>.lun names the LUNs")(
      "num_disks", count(), "disks behind the LUNs: how far the ladder goes (number of LUNs)")(
      "size_small", count(), "KB of a small I/O (8)")(
      "size_large", count(), "KB of a large I/O (1024)")("type", text(),
                                                         "of large I/Os: rand or seq (rand)")(
      "num_streamIO", count(), "outstanding I/Os of each sequential stream (4)")(
      "simulate", text(), "LUNs one behind the other or striped: concat or raid0 (concat)")(
      "stripe", count(), "MB of a stripe (1)")(
      "write", count(), "percent of I/Os that write (0): DESTROYS what is on the LUNs")(
      "cache_size", count(),
      "MB of random I/O before each sequential point (two minutes); 0: none")(
      "duration", count(), "seconds for each point (60)")(
      "matrix", text(), "basic, detailed, point, col, row or max (basic)")(
      "num_small", count(), "outstanding small I/Os: the most, or those of point and col")(
      "num_large", count(),
      "outstanding large I/Os or streams: the most, or those of point and row")(
      "verbose", "print every point")("hugenotneeded", "accepted: rigel needs no huge pages")(
      "storax", text(), "accepted: rigel always issues through io_uring")(
      "style", text(), "layout of ORION 11.1, 11.2 or 19c (11.2)")(
      "seed", count(), "of the offsets, to do a run again (drawn and printed)")(
      "no-repeat", "visit every block once before any a second time")(
      "cache", po::value<SizeArg>(), "the array's cache: print the hit ratio to be expected")(
      "record", text(), "write every I/O of the run to this .rgt file")(
      "doubtful-luns", "measure LUNs that are sparse, all zeros or too small, with a warning")(
      "huge-cache", "-cache_size of a TiB and more is meant")(
      "destroy-data", po::value<std::vector<std::string>>(),
      "with -write: this LUN carries a filesystem or label, which shall be lost")(
      "json", "print one JSON object instead of ORION's text");
  return options;
}

void refuse_word_processor_dashes(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("\xE2\x80\x93") && !argument.starts_with("\xE2\x80\x94")) continue;
    throw UsageError{
        fmt::format("'{}' begins with the long dash of a word processor, not with '-'", argument)};
  }
}

OrionParameters parameters_of(const po::variables_map& values) {
  const auto text = [&](const char* option, const char* absent) {
    return values.count(option) != 0 ? values[option].as<std::string>() : std::string{absent};
  };
  const auto count = [&](const char* option) -> std::optional<std::uint32_t> {
    if (values.count(option) == 0) return std::nullopt;
    return static_cast<std::uint32_t>(count_of(values, option, 0, 1U << 16, 0));
  };
  OrionParameters result;
  const RunKind& run = choose(kRuns, text("run", ""), "run");
  if (values.count("matrix") != 0 && run.name != "advanced") {
    throw UsageError{fmt::format("-matrix goes with -run advanced; -run {} has its own", run.name)};
  }
  result.run = run.name;
  result.test_name = text("testname", "orion");
  result.num_disks = static_cast<std::uint32_t>(count_of(values, "num_disks", 1, 10'000, 0));
  result.small_bytes = count_of(values, "size_small", 1, BufferPool::kMaxBytes >> 10, 8) << 10;
  result.large_bytes = count_of(values, "size_large", 1, BufferPool::kMaxBytes >> 10, 1024) << 10;
  result.sequential = choose(kTypes, text("type", "rand"), "type").value;
  result.stream_io = static_cast<std::uint32_t>(count_of(values, "num_streamIO", 1, 1024, 4));
  result.raid0 = choose(kLayouts, text("simulate", "concat"), "simulate").value;
  result.stripe_bytes = count_of(values, "stripe", 1, 1U << 20, 1) << 20;
  result.write_percent = static_cast<std::uint32_t>(count_of(values, "write", 0, 100, 0));
  if (values.count("cache_size") != 0) {
    result.cache_bytes = count_of(values, "cache_size", 0, std::uint64_t{1} << 40, 0) << 20;
  }
  result.duration_ns =
      static_cast<std::int64_t>(count_of(values, "duration", 1, 1'000'000, 60)) * 1'000'000'000;
  result.matrix = values.count("matrix") != 0
                      ? choose(kMatrices, text("matrix", ""), "matrix").value
                      : run.matrix;
  result.num_small = run.num_small ? run.num_small : count("num_small");
  result.num_large = run.num_large ? run.num_large : count("num_large");
  return result;
}

}  // namespace

OrionOptions parse_orion_options(const std::vector<std::string>& arguments) {
  refuse_word_processor_dashes(arguments);
  CommandOptions description = describe();
  const po::variables_map values = description.parse(arguments, CommandOptions::Dashes::kOneOrTwo);
  if (values.count("run") == 0) {
    throw UsageError{"Error in input parameters: no -run. For help, run: orion -help."};
  }
  OrionOptions options;
  options.parameters = parameters_of(values);
  for (const std::string& argument : arguments) {
    options.command_line += (options.command_line.empty() ? "" : " ") + argument;
  }
  if (values.count("style") != 0) {
    options.style = choose(kStyles, values["style"].as<std::string>(), "-style").value;
  }
  if (values.count("seed") != 0) options.seed = values["seed"].as<CountArg>().value;
  if (values.count("cache") != 0) options.array_cache_bytes = values["cache"].as<SizeArg>().bytes;
  if (values.count("record") != 0) options.record_path = values["record"].as<std::string>();
  options.destroy_data = different_texts(values, "destroy-data");
  options.verbose = values.count("verbose") != 0;
  options.no_repeat = values.count("no-repeat") != 0;
  options.doubtful_luns = values.count("doubtful-luns") != 0;
  options.huge_cache = values.count("huge-cache") != 0;
  options.json = values.count("json") != 0;
  return options;
}

}  // namespace rigel
