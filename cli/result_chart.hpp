// The chart that says most about a result, made from its --json: of info the IOPS over time, of
// model the hit ratio over cache size, of simulate the latency over throughput, of explain the hit
// ratios implied and expected at each load, of replay the percentiles of service time and slip.
//
//   ResultChart chart;
//   chart.add_options(options);   // --plot, --svg FILE
//   chart.set(values, files);     // after parse(): the files that the command reads
//   chart.show(json);             // in run(), after the text
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/chart.hpp"
#include "cli/options.hpp"

namespace rigel {

// Nothing for a result that no chart is made of.
[[nodiscard]] std::optional<Chart> chart_of(const nlohmann::ordered_json& result);

class ResultChart {
 public:
  void add_options(CommandOptions& options);
  // Throws UsageError when both --plot and --json are given, since a program reads that output, and
  // when the picture would be written over one of `inputs`.
  void set(const po::variables_map& values, const std::vector<std::string>& inputs);
  [[nodiscard]] bool wanted() const { return plot_ || !svg_path_.empty(); }
  // Prints, writes the file, or both. Throws Error when the file cannot be written.
  void show(const nlohmann::ordered_json& result) const;

 private:
  bool plot_ = false;
  std::string svg_path_;
};

}  // namespace rigel
