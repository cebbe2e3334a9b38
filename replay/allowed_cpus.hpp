// The CPUs that the calling thread may run on, in rising order; empty when the kernel does not
// tell.
#pragma once

#include <vector>

namespace rigel {

[[nodiscard]] std::vector<int> allowed_cpus();

}  // namespace rigel
