// Curves whose parameters are known because they were made from them, by exact queueing theory and
// by the simulator.
#include "model/array/array_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/array/queueing.hpp"
#include "model/array/simulation.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::array kLadder{1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U, 24U, 32U, 48U, 64U, 96U, 128U, 160U};

LoadCurve exact_curve(double unqueued_s, double disk_s, unsigned disks, double link_s) {
  const auto solved =
      solve_closed({{.name = "unqueued", .kind = StationKind::kDelay, .service_s = unqueued_s},
                    {.name = "disks", .service_s = disk_s / disks, .copies = disks},
                    {.name = "link", .service_s = link_s}},
                   160);
  LoadCurve curve{"exact", {}};
  for (const unsigned n : kLadder) {
    LoadPoint point;
    point.outstanding = n;
    point.iops = solved[n - 1].throughput;
    curve.points.push_back(point);
  }
  return curve;
}

bool holds(const FittedValue& fitted, double truth) {
  return (!fitted.low || *fitted.low <= truth) && (!fitted.high || truth <= *fitted.high);
}

TEST(ArrayFit, RecoversTheParametersOfAnExactCurve) {
  const ArrayFit fit = fit_array(exact_curve(0.24e-3, 6e-3, 32, 0.1e-3));
  EXPECT_NEAR(fit.unqueued_ns.value, 0.24e6, 0.01 * 0.24e6);
  EXPECT_NEAR(fit.disk_ns.value, 6e6, 0.001 * 6e6);
  EXPECT_NEAR(fit.disks.value, 32, 0.1);
  EXPECT_NEAR(fit.link_iops.value, 10'000, 50);
  EXPECT_LT(fit.rms_error, 1e-4);
  ASSERT_TRUE(fit.disks.low && fit.disks.high);
  EXPECT_LE(*fit.disks.low, 32);
  EXPECT_GE(*fit.disks.high, 32);
}

TEST(ArrayFit, SaysWhichBoundsTheCurveDoesNotSet) {
  const ArrayFit fit = fit_array(exact_curve(1e-9, 8e-3, 32, 1e-9));
  EXPECT_NEAR(fit.disks.value, 32, 0.5);
  EXPECT_FALSE(fit.link_iops.high.has_value());
  EXPECT_FALSE(fit.unqueued_ns.low.has_value());
  EXPECT_THAT(fit.cannot_tell, Contains(HasSubstr("link limit")));
  EXPECT_THAT(fit.cannot_tell, Contains(HasSubstr("hit ratio and disk service time")));
}

// 95 % intervals of simulated curves, whose noise the fit has to find out by itself. In 100 fits 95
// are to be expected inside, 7 or more misses of 5 expected come in one of 4 series, 13 in one of
// 1,000 (binomial).
TEST(ArrayFit, HundredSimulatedCurvesLieWithinTheirIntervalsAtTheStatedRate) {
  ArrayConfig config;
  config.cache.bytes = 0;
  config.link.latency_ns = 500'000;
  config.disks.count = 16;
  config.disks.time_ns = 5'000'000;
  config.disks.law = ServiceLaw::kExponential;
  PatternOptions options;
  options.span_bytes = 1ULL << 40;
  unsigned disks_held = 0;
  unsigned disk_time_held = 0;
  unsigned unqueued_held = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    LoadCurve curve{"simulated", {}};
    options.seed = seed;
    AccessPattern reads{options};
    ArraySimulator array{config, seed};
    std::int64_t now_ns = 0;
    for (const unsigned n : kLadder) {
      const LoadResult result = run_closed(
          array, [&] { return reads.next(); }, {.outstanding = n, .ios = 3000, .warm_up_ios = 500},
          now_ns);
      LoadPoint point;
      point.outstanding = n;
      point.iops = result.iops;
      curve.points.push_back(point);
    }
    const ArrayFit fit = fit_array(curve);
    disks_held += holds(fit.disks, 16) ? 1 : 0;
    disk_time_held += holds(fit.disk_ns, 5e6) ? 1 : 0;
    unqueued_held += holds(fit.unqueued_ns, 0.5e6) ? 1 : 0;
  }
  EXPECT_GE(disks_held, 87U);
  EXPECT_GE(disk_time_held, 87U);
  EXPECT_GE(unqueued_held, 87U);
}

TEST(ArrayFit, TooFewLoadsAreRefused) {
  LoadCurve curve = exact_curve(1e-4, 8e-3, 4, 1e-5);
  curve.points.resize(5);
  EXPECT_THAT([&] { (void)fit_array(curve); },
              ThrowsMessage<Error>(HasSubstr("5 different loads")));
  EXPECT_THROW((void)fit_array(exact_curve(1e-4, 8e-3, 4, 1e-5), 1.5), UsageError);
}

}  // namespace
}  // namespace rigel
