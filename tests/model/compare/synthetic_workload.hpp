// Workloads whose every property is known, as records in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/compare/workload_comparison.hpp"
#include "traces/io_record.hpp"

namespace rigel::test {

struct SyntheticWorkload {
  std::size_t records = 20'000;
  double iops = 1000;  // Poisson
  std::uint64_t pages = 20'000;
  double zipf_exponent = 0;  // 0: uniform
  double write_share = 0.3;
  std::uint32_t bytes = 4096;
  double latency_ns = 2e6;  // exponential
  std::uint64_t seed = 1;
};

[[nodiscard]] std::vector<IoRecord> make_workload(const SyntheticWorkload& workload);
[[nodiscard]] WorkloadProfile profile_of(const std::vector<IoRecord>& records);
// The keys of the significant differences, in order.
[[nodiscard]] std::vector<std::string> significant_keys(const WorkloadComparison& comparison);
[[nodiscard]] const Difference& of_key(const WorkloadComparison& comparison,
                                       const std::string& key);

}  // namespace rigel::test
