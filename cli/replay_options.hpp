// The command line of `rigel replay` as what the replay needs: a source, targets and options.
// Touches no file before make_source(). One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/iostat_table.hpp"
#include "cli/options.hpp"
#include "cli/trace_input.hpp"
#include "replay/address_map.hpp"
#include "replay/replayer.hpp"
#include "replay/target.hpp"
#include "replay/trace_record_source.hpp"

namespace rigel {

class ReplayCommandOptions {
 public:
  void add_to(CommandOptions& options);
  void set(const po::variables_map& values);  // throws UsageError

  [[nodiscard]] const std::vector<std::string>& target_paths() const { return target_paths_; }
  [[nodiscard]] const ReplayOptions& replay() const { return replay_; }
  [[nodiscard]] TargetCaching caching() const {
    return buffered_ ? TargetCaching::kBuffered : TargetCaching::kDirect;
  }
  [[nodiscard]] bool writes() const { return trace_.writes; }
  [[nodiscard]] const std::vector<std::string>& destroy() const { return destroy_; }
  // Where the replay itself is recorded; empty: nowhere.
  [[nodiscard]] const std::string& record_path() const { return record_path_; }
  [[nodiscard]] const std::vector<std::string>& traces() const { return traces_; }
  [[nodiscard]] bool dry_run() const { return dry_run_; }
  // Where the time series goes; empty: nowhere.
  [[nodiscard]] const std::string& series_path() const { return series_path_; }
  // Asks for the live table, on a terminal or not.
  [[nodiscard]] bool interval_without_series() const {
    return interval_given_ && series_path_.empty();
  }
  [[nodiscard]] IostatStyle table_style() const { return table_style_; }
  // The rates of --iops-ramp; empty without one.
  [[nodiscard]] const std::vector<double>& ramp() const { return ramp_; }
  // `targets` are those of target_paths(), opened. Throws Error when the trace cannot be read.
  [[nodiscard]] std::unique_ptr<RecordSource> make_source(std::span<const Target> targets) const;

 private:
  enum class CopyMode : std::uint8_t { kRegion, kShift, kSame };
  void set_targets(const po::variables_map& values);
  void set_timing(const po::variables_map& values);
  void set_rate(const po::variables_map& values);
  void set_copies(const po::variables_map& values);
  void set_data(const po::variables_map& values);
  void set_output(const po::variables_map& values);
  void refuse_contradictions() const;
  [[nodiscard]] std::uint16_t target_index(const std::string& path);

  TraceInput input_;
  std::vector<std::string> traces_;
  std::vector<std::string> target_paths_;
  std::vector<std::string> destroy_;
  std::string record_path_;
  std::string series_path_;
  bool interval_given_ = false;
  IostatStyle table_style_ = IostatStyle::kSolaris;
  bool dry_run_ = false;
  bool flat_out_ = false;
  bool buffered_ = false;
  unsigned copies_ = 1;
  CopyMode copy_mode_ = CopyMode::kRegion;
  std::int64_t copy_shift_ns_ = 0;
  std::vector<double> ramp_;
  AddressMapOptions map_;
  TraceReplayOptions trace_;
  ReplayOptions replay_;
};

}  // namespace rigel
