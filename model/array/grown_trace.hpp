// A recorded load that has grown: as many copies of it as the growth says, side by side, each with
// data of its own, so that I/O and data grow alike. Of the last copy only the part of its pages
// that is missing to a whole number (a spatial sample, see page_sampler.hpp). The first copy runs
// as recorded, each other one from another place of the recording on and round: bursts do not fall
// together, since nothing makes two users click at the same instant, and the load is grown from the
// beginning to the end. The places are multiples of the golden ratio of the whole, which lie apart
// whatever their number.
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
