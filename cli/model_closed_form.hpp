// `rigel model --uniform` and `--zipf`: random I/O answered without a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rigel {

struct ClosedFormQuestion {
  std::vector<std::uint64_t> cache_bytes;
  double cache_share = 1;           // of each cache: the rest serves others
  std::uint32_t page_bytes = 8192;  // of the requests and of the cache
  std::uint64_t span_bytes = 0;
  double alpha = 0;  // Zipf's exponent; 0 is uniform
  double iops = 0;   // 0 when not given
};

// Pure. Both throw UsageError for a span or a cache that holds no page, and for an alpha that is
// not in 0..10.
[[nodiscard]] std::string closed_form_text(const ClosedFormQuestion& question);
[[nodiscard]] std::string closed_form_json(const ClosedFormQuestion& question);

}  // namespace rigel
