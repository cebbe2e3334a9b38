// Spatial sampling: keeps all I/O to a share of the pages, chosen by a hash of the page, and none
// to the others. Reuse is kept whole for the pages that stay, so a cache of the same share of the
// size has about the same hit ratio: Waldspurger et al., "Efficient MRC Construction with SHARDS",
// FAST 2015.
// An I/O is cut to its sampled pages; runs of them stay one I/O, marked as a piece. I/Os that touch
// no page (flushes) are left out.
#pragma once

#include <cstdint>
#include <memory>

#include "traces/trace_source.hpp"

namespace rigel {

// The choice depends on the device's name, the page and its size, and nothing else: it is the same
// in every trace of a device. Throws UsageError unless 0 < rate <= 1 and page_bytes > 0.
[[nodiscard]] std::unique_ptr<TraceSource> sample_pages(std::unique_ptr<TraceSource> source,
                                                        double rate, std::uint64_t page_bytes);

}  // namespace rigel
