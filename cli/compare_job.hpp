// The part of `rigel compare` that says how to come closer to A: the job of fio's and ORION's
// options that do, and which of fio's settings B would have otherwise.
#pragma once

#include <string>

#include "cli/compare_output.hpp"
#include "model/compare/fio_job.hpp"

namespace rigel {

// Adds to what was found; nothing when A has neither reads nor writes. Settings to turn are those
// that stand for a figure which is different.
void add_job(const ComparedTrace& a, const ComparedTrace& b, const WorkloadComparison& comparison,
             CompareOutcome& outcome);

// Writes the job that comes closest to this trace; throws Error when it cannot, or there is none.
void write_job(const ComparedTrace& trace, const std::string& path);

}  // namespace rigel
