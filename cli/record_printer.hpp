// A trace as a table for people: a line for each record, the columns that the trace has, times in
// seconds and microseconds. Not meant to be read back (csv and jsonl are).
#pragma once

#include <memory>

#include "traces/byte_sink.hpp"
#include "traces/trace_sink.hpp"

namespace rigel {

// One thread; throws what `out` throws.
[[nodiscard]] std::unique_ptr<TraceSink> print_records(std::unique_ptr<ByteSink> out);

}  // namespace rigel
