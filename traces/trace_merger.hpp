// Several traces as one, in time order: a merge of the inputs, each of which must be ordered itself
// (a record out of order stays where its own input has it). Holds one batch of each input.
//
// Clocks are aligned by the wall time at which each input began; an input that does not know its
// own is taken to have begun with the first one, and a warning says so. Devices that are the same
// LUN (by wwid, or else by host and name) become one; so do tasks of the same host, by all they are
// known by. Devices that differ but are called alike get "#2", "#3", … added. Damage and warnings
// say which input they are of.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traces/trace_source.hpp"

namespace rigel {

// Owns the inputs, whose names (one each) are for damage and warnings. A column that only some
// inputs have is filled with IoRecord's defaults for the records of the others. Not thread safe;
// next() throws what the inputs throw.
[[nodiscard]] std::unique_ptr<TraceSource> merge_traces(
    std::vector<std::unique_ptr<TraceSource>> inputs, const std::vector<std::string>& names);

}  // namespace rigel
