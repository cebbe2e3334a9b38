// What is doubtful about a trace that was read, on standard error: a line each, the first ones
// only.
#pragma once

#include "traces/trace_tables.hpp"

namespace rigel {

void report_warnings(const TraceTables& tables);
// Warnings, and damage with its place.
void report_doubts(const TraceTables& tables);

}  // namespace rigel
