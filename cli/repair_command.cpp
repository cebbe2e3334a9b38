#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "traces/error.hpp"
#include "traces/missing_records.hpp"
#include "traces/quantity.hpp"
#include "traces/table_follower.hpp"
#include "traces/trace_source.hpp"
#include "traces/trace_writer.hpp"

namespace rigel {
namespace {

class RepairCommand final : public Command {
 public:
  void setup(const std::vector<std::string>& arguments) override {
    CommandOptions options{
        "repair", "[OPTIONS] IN OUT",
        "Writes all that can be read of a damaged trace to a new .rgt file, and\n"
        "says what was lost. The new file counts the records lost as losses."};
    options.add()("format", po::value(&format_), "the trace's format, when it is not recognised");
    options.positional("files", 2);
    const po::variables_map values = options.parse(arguments);
    if (values.count("files") != 0) files_ = values["files"].as<std::vector<std::string>>();
    if (files_.size() != 2) throw UsageError{"repair takes a trace and the file to write"};
  }

  int run() override {
    std::error_code ignored;
    if (std::filesystem::equivalent(files_[0], files_[1], ignored)) {
      throw UsageError{fmt::format("{}: would be written over itself", files_[0])};
    }
    OpenOptions open;
    open.format = format_;
    source_ = open_trace({files_[0]}, open);
    TraceWriter writer{create_file(files_[1])};
    std::uint64_t records = 0;
    RecordBatch batch;
    while (source_->next(batch)) {
      follow(batch.record(0).start_ns());
      writer.write(batch, tables_);
      records += batch.size();
      last_start_ns_ = batch.record(batch.size() - 1).start_ns();
    }
    follow(last_start_ns_);
    writer.finish(tables_);
    report(records);
    return kExitDone;
  }

 private:
  // Brings tables_ up to date. New damage lies between the last record read and the one that
  // starts at `next_start_ns`.
  void follow(std::int64_t next_start_ns) {
    const auto known = [](std::int64_t time) { return time == kNoTime ? 0 : time; };
    std::vector<Loss> losses;
    tables_.meta = source_->tables().meta;
    follower_.follow(source_->tables(), tables_,
                     Overloaded{[&](Damage& damage) {
                                  const std::string cause = describe(damage);
                                  fmt::print("{}: {}\n", files_[0], cause);
                                  ++places_;
                                  if (damage.records_lost == 0) return false;
                                  lost_ += damage.records_lost;
                                  losses.push_back({known(last_start_ns_), known(next_start_ns),
                                                    damage.records_lost, "damaged file: " + cause});
                                  return false;
                                },
                                [](auto&) { return true; }});
    for (Loss& loss : losses) tables_.losses.push_back(std::move(loss));
  }

  void report(std::uint64_t records) const {
    if (places_ == 0) {
      fmt::print("{}: was intact; {} records written\n", files_[1], format_count(records));
      return;
    }
    fmt::print("{}: {} records saved; {} place{} damaged, {} records known to be lost\n", files_[1],
               format_count(records), places_, places_ == 1 ? "" : "s", format_count(lost_));
  }

  std::vector<std::string> files_;
  std::string format_;
  std::unique_ptr<TraceSource> source_;
  TableFollower follower_;
  TraceTables tables_;
  std::int64_t last_start_ns_ = kNoTime;
  std::size_t places_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_repair_command() {
  return std::make_unique<RepairCommand>();
}

}  // namespace rigel
