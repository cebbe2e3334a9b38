// A recorded load that has grown: as many copies of it as the growth says, side by side, each with
// data of its own, so that I/O and data grow alike. Of the last copy only the part of its pages
// that is missing to a whole number (a spatial sample, see page_sampler.hpp). Copies begin a little
// one after the other, a millisecond each, since nothing makes two users click at the same instant.
#pragma once

#include <functional>
#include <memory>

#include "traces/trace_source.hpp"

namespace rigel {

inline constexpr double kMostGrownData = 64;  // copies, each of which has the trace open

// A copy's devices are devices of their own, "sda~1". Throws UsageError unless 0 < growth <=
// kMostGrownData, and what `open` throws.
[[nodiscard]] std::unique_ptr<TraceSource> grown_trace(
    const std::function<std::unique_ptr<TraceSource>()>& open, double growth);

}  // namespace rigel
