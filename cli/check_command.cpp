#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/missing_json.hpp"
#include "cli/options.hpp"
#include "traces/error.hpp"
#include "traces/missing_records.hpp"
#include "traces/printable.hpp"
#include "traces/quantity.hpp"
#include "traces/trace_source.hpp"

namespace rigel {
namespace {

class CheckCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{"check", "[OPTIONS] TRACE",
                           "Reads a trace to its end and says what in it is damaged: where, how\n"
                           "much, and how many records that cost. Exit status 1 when anything is."};
    options.add()("json", po::bool_switch(&json_), "print one JSON object");
    options.add()("format", po::value(&format_), "the trace's format, when it is not recognised");
    options.positional("trace", 1);
    const po::variables_map values = options.parse(arguments);
    if (values.count("trace") == 0) throw UsageError{"check takes one trace"};
    path_ = values["trace"].as<std::vector<std::string>>().front();
  }

  int run() override {
    OpenOptions open;
    open.format = format_;
    const std::unique_ptr<TraceSource> source = open_trace({path_}, open);
    std::uint64_t records = 0;
    RecordBatch batch;
    while (source->next(batch)) records += batch.size();
    const TraceTables& tables = source->tables();
    if (json_) {
      print_json(records, tables);
    } else {
      print_text(records, tables);
    }
    return tables.damage.empty() ? kExitDone : kExitFailed;
  }

 private:
  void print_json(std::uint64_t records, const TraceTables& tables) const {
    nlohmann::ordered_json result;
    result["schema"] = 1;
    result["intact"] = tables.damage.empty();
    result["records"] = records;
    add_missing_counts(tables, result);
    add_missing_places(tables, result);
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  void print_text(std::uint64_t records, const TraceTables& tables) const {
    for (const Damage& damage : tables.damage) fmt::print("{}: {}\n", path_, describe(damage));
    for (const std::string& warning : tables.warnings)
      fmt::print("{}: {}\n", path_, printable(warning));
    const std::uint64_t lost = missing_records(tables).in_recording;
    const std::string recorder =
        lost == 0 ? "" : fmt::format(", {} more were lost in recording", format_count(lost));
    if (tables.damage.empty()) {
      fmt::print("{}: intact, {} records{}\n", path_, format_count(records), recorder);
    } else {
      fmt::print("{}: damaged in {} place{}, {} records are readable{}\n", path_,
                 tables.damage.size(), tables.damage.size() == 1 ? "" : "s", format_count(records),
                 recorder);
    }
  }

  std::string path_;
  std::string format_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_check_command() {
  return std::make_unique<CheckCommand>();
}

}  // namespace rigel
