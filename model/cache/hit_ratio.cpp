#include "model/cache/hit_ratio.hpp"

#include <limits>

namespace rigel {

namespace {
double ratio(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}
}  // namespace

HitRatios hit_ratios(const AccessCounts& hits, const AccessCounts& total) {
  return {
      .page = ratio(hits.all_pages(), total.all_pages()),
      .read_page = ratio(hits.pages[0], total.pages[0]),
      .write_page = ratio(hits.pages[1], total.pages[1]),
      .request = ratio(hits.requests[0] + hits.requests[1], total.requests[0] + total.requests[1]),
      .read_request = ratio(hits.requests[0], total.requests[0]),
      .write_request = ratio(hits.requests[1], total.requests[1]),
      .byte = ratio(hits.bytes[0] + hits.bytes[1], total.bytes[0] + total.bytes[1])};
}

}  // namespace rigel
