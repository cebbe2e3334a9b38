#include "tests/model/compare/synthetic_workload.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "tests/traces/memory_trace.hpp"

namespace rigel::test {

std::vector<IoRecord> make_workload(const SyntheticWorkload& workload) {
  std::mt19937_64 random{workload.seed};
  // By inverting the distribution function of the ranks; ranks are spread by an odd factor.
  std::vector<double> below(workload.pages);
  double sum = 0;
  for (std::size_t i = 0; i < below.size(); ++i) {
    sum += std::pow(static_cast<double>(i + 1), -workload.zipf_exponent);
    below[i] = sum;
  }
  std::uniform_real_distribution<double> unit;
  double now_ns = 0;
  std::vector<IoRecord> records(workload.records);
  for (IoRecord& record : records) {
    now_ns += std::exponential_distribution<double>{workload.iops * 1e-9}(random);
    const auto rank = static_cast<std::uint64_t>(
        std::upper_bound(below.begin(), below.end() - 1, unit(random) * sum) - below.begin());
    record.queue_ns = static_cast<std::int64_t>(now_ns);
    record.issue_ns = record.queue_ns;
    record.complete_ns =
        record.queue_ns + static_cast<std::int64_t>(std::exponential_distribution<double>{
                              1 / workload.latency_ns}(random));
    record.offset_bytes = (rank * 7919 % workload.pages) * workload.bytes;
    record.length_bytes = workload.bytes;
    record.op = unit(random) < workload.write_share ? IoOp::kWrite : IoOp::kRead;
  }
  return records;
}

WorkloadProfile profile_of(const std::vector<IoRecord>& records) {
  MemoryTrace trace{records, {}, ColumnSet::all(), 1000};
  return profile_workload(trace, {});
}

std::vector<std::string> significant_keys(const WorkloadComparison& comparison) {
  std::vector<std::string> keys;
  for (const Difference& difference : comparison.differences) {
    if (difference.significant) keys.push_back(difference.key);
  }
  return keys;
}

const Difference& of_key(const WorkloadComparison& comparison, const std::string& key) {
  for (const Difference& difference : comparison.differences) {
    if (difference.key == key) return difference;
  }
  throw std::out_of_range{key + ": not compared"};
}

}  // namespace rigel::test
