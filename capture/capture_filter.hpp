// The filter of a recording in the terms of the kernel side: numbers of operations, names as the
// kernel pads them, a cgroup's id and depth. Throws UsageError for what cannot be filtered by.
#pragma once

#include "capture/block_tracer.hpp"

struct block_trace_bpf;

namespace rigel {

// Fills in the read-only data of a skeleton that is not loaded yet.
void apply_filter(const CaptureFilter& filter, const KernelFlavour& flavour,
                  block_trace_bpf& skeleton);

}  // namespace rigel
