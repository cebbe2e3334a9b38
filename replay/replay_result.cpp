#include "replay/replay_result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigel {
namespace {

double per_second(std::uint64_t count, std::int64_t duration_ns) {
  return duration_ns <= 0 ? 0 : static_cast<double>(count) * 1e9 / static_cast<double>(duration_ns);
}

}  // namespace

double ReplayResult::iops() const {
  return per_second(issue.completed, duration_ns);
}

double ReplayResult::bytes_per_second() const {
  return per_second(issue.completed_bytes, duration_ns);
}

LoadCurve ReplayResult::load_curve() const {
  LoadCurve curve;
  curve.source = "rigel replay";
  for (std::size_t level = 0; level < rates.size(); ++level) {
    LatencyHistogram latency;
    std::uint64_t bytes = 0;
    std::int64_t begin = std::numeric_limits<std::int64_t>::max();
    std::int64_t end = 0;
    for (const auto& cell : latencies->cells()) {
      if (cell->level != level) continue;
      latency.merge(cell->response);
      bytes += cell->bytes;
      begin = std::min(begin, cell->first_issue_ns);
      end = std::max(end, cell->last_complete_ns);
    }
    if (latency.count() == 0) continue;
    LoadPoint point;
    point.iops = per_second(latency.count(), end - begin);
    point.bytes_per_second = per_second(bytes, end - begin);
    point.latency_ns = latency.mean_ns();
    point.outstanding = point.iops * point.latency_ns / 1e9;  // Little's law
    point.duration_ns = static_cast<double>(end - begin);
    curve.points.push_back(point);
  }
  return curve;
}

LatencyHistogram ReplayResult::service() const {
  LatencyHistogram total;
  for (const auto& cell : latencies->cells()) total.merge(cell->service);
  return total;
}

LatencyHistogram ReplayResult::response() const {
  LatencyHistogram total;
  for (const auto& cell : latencies->cells()) total.merge(cell->response);
  return total;
}

void merge(IssuerResult& into, const IssuerResult& other) {
  if (other.issued > 0) {
    const bool first = into.issued == 0;
    const auto earliest = [first](std::int64_t& a, std::int64_t b) {
      a = first ? b : std::min(a, b);
    };
    earliest(into.first_due_ns, other.first_due_ns);
    earliest(into.first_issue_ns, other.first_issue_ns);
    into.last_due_ns = std::max(into.last_due_ns, other.last_due_ns);
    into.last_issue_ns = std::max(into.last_issue_ns, other.last_issue_ns);
    into.last_complete_ns = std::max(into.last_complete_ns, other.last_complete_ns);
  }
  into.issued += other.issued;
  into.completed += other.completed;
  into.completed_bytes += other.completed_bytes;
  into.measured += other.measured;
  into.measured_bytes += other.measured_bytes;
  into.short_transfers += other.short_transfers;
  into.not_issued += other.not_issued;
  into.abandoned += other.abandoned;
  into.reordered += other.reordered;
  for (const auto& [error, count] : other.errors) into.errors[error] += count;
  if (into.first_error == 0) {
    into.first_error = other.first_error;
    into.first_error_op = other.first_error_op;
    into.first_error_target = other.first_error_target;
  }
  into.delays.depth_limit += other.delays.depth_limit;
  into.delays.buffers += other.delays.buffers;
  into.delays.read_ahead += other.delays.read_ahead;
  into.delays.host += other.delays.host;
  into.slip.merge(other.slip);
  into.recorded_gaps.merge(other.recorded_gaps);
  into.issued_gaps.merge(other.issued_gaps);
  into.submit_max_ns = std::max(into.submit_max_ns, other.submit_max_ns);
  into.slept_ns += other.slept_ns;
  into.most_outstanding += other.most_outstanding;
  if (into.engine_error == 0) into.engine_error = other.engine_error;
}

double ks_distance(const LatencyHistogram& a, const LatencyHistogram& b) {
  if (a.count() == 0 || b.count() == 0) return 0;
  double distance = 0;
  const auto compare_at = [&](std::int64_t gap_ns) {
    const double share_a =
        static_cast<double>(a.count_at_or_below(gap_ns)) / static_cast<double>(a.count());
    const double share_b =
        static_cast<double>(b.count_at_or_below(gap_ns)) / static_cast<double>(b.count());
    distance = std::max(distance, std::abs(share_a - share_b));
  };
  for (const LatencyHistogram* histogram : {&a, &b}) {
    for (const LatencyHistogram::Bucket& bucket : histogram->buckets()) {
      if (bucket.high_ns > kGapResolutionNs) compare_at(bucket.high_ns - 1);
    }
  }
  return distance;
}

}  // namespace rigel
