#include "model/array/curve_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr double kDoubt = 1.25;  // how far a time may be from what it is said or seen to be

void validate_claim(const ArrayClaim& claim) {
  const auto need = [](bool good, const char* what, double value) {
    if (!good) throw UsageError{fmt::format("{} {} makes no sense", what, value)};
  };
  need(claim.disks >= 1 && claim.disks <= 1e6, "number of disks", claim.disks);
  need(claim.cache_bytes >= 0, "cache", claim.cache_bytes);
  need(claim.span_bytes > 0, "span", claim.span_bytes);
  need(claim.hit_time_ns > 0, "hit time", claim.hit_time_ns);
  need(claim.miss_time_ns > claim.hit_time_ns, "miss time (it must be longer than a hit)",
       claim.miss_time_ns);
  need(claim.io_bytes > 0 && claim.page_bytes > 0, "page", claim.page_bytes);
}

// The least hit ratio with which the network reaches this throughput; 0 when it needs none, 1 when
// not even hits alone would do.
double implied_hit_ratio(const ArrayClaim& claim, const LoadPoint& point, double slowness,
                         double hit_service_ns) {
  double low = 0;
  double high = 1;
  const auto reaches = [&](double hit_ratio) {
    return closed_throughput(claim, point.outstanding, hit_ratio, slowness, hit_service_ns) >=
           point.iops;
  };
  if (reaches(0)) return 0;
  if (!reaches(1)) return 1;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (reaches(middle) ? high : low) = middle;
  }
  return high;
}

void check_littles_law(PointEvidence& evidence) {
  const LoadPoint& p = evidence.point;
  evidence.littles_error = p.iops * p.latency_ns * 1e-9 / p.outstanding - 1;
  const double rounding = p.iops_error / p.iops + p.latency_error_ns / p.latency_ns;
  evidence.littles_law_holds = std::abs(evidence.littles_error) <= 0.01 + rounding;
}

// Before and after a change the array is not the same one, so that what hits can do at most is
// taken from either stretch on its own.
void bound_hits_above(const ArrayClaim& claim, std::vector<PointEvidence>& points) {
  const auto bound = [&claim](std::span<PointEvidence> stretch) {
    double best_iops = 0;
    for (const PointEvidence& e : stretch) best_iops = std::max(best_iops, e.point.iops);
    for (PointEvidence& e : stretch) {
      e.implied_high = implied_hit_ratio(claim, e.point, kDoubt, kDoubt * 1e9 / best_iops);
    }
  };
  const std::span<PointEvidence> all{points};
  const std::size_t change = late_change(points);
  bound(all.first(change));
  bound(all.subspan(change));
}

}  // namespace

// Exact mean-value analysis; between whole numbers of customers by the arrival theorem's own
// recursion, begun at the fraction.
double closed_throughput(const ArrayClaim& claim, double outstanding, double hit_ratio,
                         double slowness, double hit_service_ns) {
  const double disk_s = (1 - hit_ratio) * claim.miss_time_ns * slowness * 1e-9;  // all disks
  const double hits_s = hit_ratio * claim.hit_time_ns * 1e-9;
  const double queue_s = hit_ratio * hit_service_ns * 1e-9;
  double at_disk = 0;  // customers at each disk
  double at_queue = 0;
  double throughput = 0;
  const double steps = std::ceil(outstanding);
  for (double i = 1; i <= steps; ++i) {
    const double n = outstanding - steps + i;
    const double at_disks_s = disk_s * (1 + at_disk);
    const double in_queue_s = queue_s * (1 + at_queue);
    throughput = n / (hits_s + at_disks_s + in_queue_s);
    at_disk = throughput * at_disks_s / claim.disks;
    at_queue = throughput * in_queue_s;
  }
  return throughput;
}

double uniform_hits_so_far(double before, double reads, double pages, double held) {
  if (!(reads > 0)) return 0;
  held = std::min(held, pages);
  // Reads until the cache is full; distinct pages after k reads are N (1 - exp(-k / N)).
  const double full_after = held < pages ? -pages * std::log1p(-held / pages) : INFINITY;
  const double end = before + reads;
  double hits = 0;
  const double filling_end = std::min(end, full_after);
  if (before < filling_end) {
    const double fresh =
        pages * std::exp(-before / pages) * -std::expm1((before - filling_end) / pages);
    hits += filling_end - before - fresh;
  }
  if (end > full_after) hits += (end - std::max(before, full_after)) * held / pages;
  return std::clamp(hits / reads, 0.0, 1.0);
}

std::vector<PointEvidence> weigh_points(const LoadCurve& curve, const ArrayClaim& claim) {
  validate_claim(claim);
  std::vector<PointEvidence> all;
  for (const LoadPoint& point : curve.points) {
    if (point.outstanding <= 0 || point.outstanding_large > 0 || point.iops <= 0) continue;
    if (point.outstanding > 1e6) throw UsageError{"more than a million outstanding I/Os"};
    all.emplace_back().point = point;
    if (point.duration_ns <= 0) all.back().point.duration_ns = claim.point_duration_ns;
  }
  std::stable_sort(all.begin(), all.end(), [](const PointEvidence& a, const PointEvidence& b) {
    return a.point.outstanding < b.point.outstanding;
  });
  const double limit = claim.disks / (claim.miss_time_ns * 1e-9);
  const double pages = std::max(1.0, claim.span_bytes / claim.page_bytes);
  double reads_before = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    PointEvidence& e = all[i];
    const LoadPoint& p = e.point;
    e.reads_before = reads_before;
    e.reads = p.iops * p.duration_ns * 1e-9;
    reads_before += e.reads;
    check_littles_law(e);
    e.disk_limit_iops = limit;
    e.least_hit_by_throughput = std::max(0.0, 1 - limit / p.iops);
    e.least_hit_by_latency = std::clamp(
        (claim.miss_time_ns - p.latency_ns) / (claim.miss_time_ns - claim.hit_time_ns), 0.0, 1.0);
    e.part_of_disks = p.iops / closed_throughput(claim, p.outstanding, 0, 1, 0);
    e.faster_than_hits = p.iops - p.iops_error > p.outstanding / (claim.hit_time_ns * 1e-9);
    e.implied_low = implied_hit_ratio(claim, p, 1 / kDoubt, 0);
    e.implied = implied_hit_ratio(claim, p, 1, 0);
    e.expected =
        uniform_hits_so_far(e.reads_before, e.reads, pages, claim.cache_bytes / claim.page_bytes);
    e.expected_most = std::min(1.0, claim.cache_bytes / claim.span_bytes);
    if (i > 0) e.growth = growth_between(all[i - 1].point, p);
  }
  bound_hits_above(claim, all);
  return all;
}

std::size_t late_change(const std::vector<PointEvidence>& points) {
  for (std::size_t i = 2; i < points.size(); ++i) {
    if (points[i].growth.is_faster_than_load(0)) return i;
  }
  return 0;
}

}  // namespace rigel
