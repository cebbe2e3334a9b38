// What a storage system gave at a series of loads: the result of a ladder of outstanding I/Os,
// whoever measured or computed it. Plain data; reading throws Error naming file, line and cause.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rigel {

// One load. 0 stands for "not known" in every field but the two outstanding ones.
struct LoadPoint {
  double outstanding = 0;        // small I/Os kept outstanding
  double outstanding_large = 0;  // large I/Os kept outstanding beside them
  double iops = 0;               // of the small I/Os; of the large where there are no small
  double bytes_per_second = 0;   // of all
  double latency_ns = 0;         // mean response time of what `iops` counts
  double latency_error_ns = 0;   // how far rounding may have moved latency_ns either way
  double iops_error = 0;         // the same of iops
  double request_bytes = 0;
  double duration_ns = 0;
  double write_fraction = 0;
  std::optional<double> hit_ratio = std::nullopt;  // where the measurer knows it
};

struct LoadCurve {
  std::string source;  // the file, or what computed it
  std::vector<LoadPoint> points;
};

// Fills in whichever of iops and latency_ns a point lacks from the other by Little's law
// (N = X R; J. D. C. Little, "A proof for the queuing formula L = lambda W", Oper. Res. 9, 1961),
// and bytes_per_second from iops and request_bytes or the reverse. Leaves alone what it cannot
// know.
void complete_by_littles_law(LoadPoint& point);

// The CSV of `rigel simulate --csv`: a header naming the JSON contract's columns in any order, of
// which "outstanding" and one of "iops" and "latency_ns" must be there.
[[nodiscard]] LoadCurve parse_load_curve_csv(std::string_view text, const std::string& name);
[[nodiscard]] std::string to_csv(const LoadCurve& curve);

// A JSON object of `rigel simulate`, `rigel orion` ("points") or `rigel replay` (one point), of the
// schema that result_json.hpp knows.
[[nodiscard]] LoadCurve parse_load_curve_json(std::string_view text, const std::string& name);
[[nodiscard]] nlohmann::ordered_json to_json(const LoadPoint& point);

// Any of the above, or ORION's own output (orion_results.hpp), told by content; completed by
// Little's law. Of a text with several ORION runs it is the last one that measured anything.
[[nodiscard]] LoadCurve parse_load_curve(std::string_view text, const std::string& name);
// Of files. Several paths are parts of one run
// (its iops, latency and mbps tables), merged by load. "-" is standard input.
[[nodiscard]] LoadCurve read_load_curve(const std::vector<std::string>& paths);

}  // namespace rigel
