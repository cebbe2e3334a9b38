// Exact values: closed forms of the literature, and sums over every state of the product form
// (F. Baskett et al., JACM 22, 1975), which share nothing with the algorithm under test.
#include "model/array/queueing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "traces/error.hpp"

namespace rigel {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kExact = 1e-9;  // relative

void expect_exact(double value, double wanted, const std::string& what) {
  EXPECT_NEAR(value, wanted, kExact * std::abs(wanted)) << what;
}

// Throughput and mean customers at each station by adding up all states with `customers` in them.
// A delay is a station whose rate is the number there.
struct Enumerated {
  double throughput = 0;
  std::vector<double> customers;
};

Enumerated enumerate(const std::vector<Station>& stations, unsigned customers) {
  const auto weight = [&](const Station& station, unsigned here) {
    long double product = 1;
    for (unsigned j = 1; j <= here; ++j) {
      double rate = 1;
      if (station.kind == StationKind::kDelay) {
        rate = j;
      } else if (!station.rate.empty()) {
        rate = station.rate[std::min<std::size_t>(j, station.rate.size()) - 1];
      }
      product *= station.service_s * station.visits / rate;
    }
    return product;
  };
  const auto total = [&](unsigned n, std::vector<double>* means) {
    long double sum = 0;
    std::vector<long double> sums(stations.size(), 0);
    std::vector<unsigned> state(stations.size(), 0);
    std::function<void(std::size_t, unsigned, long double)> walk = [&](std::size_t k, unsigned left,
                                                                       long double so_far) {
      if (k + 1 == stations.size()) {
        state[k] = left;
        const long double p = so_far * weight(stations[k], left);
        sum += p;
        for (std::size_t i = 0; i < state.size(); ++i) sums[i] += p * state[i];
        return;
      }
      for (unsigned here = 0; here <= left; ++here) {
        state[k] = here;
        walk(k + 1, left - here, so_far * weight(stations[k], here));
      }
    };
    walk(0, n, 1);
    if (means != nullptr) {
      for (const long double s : sums) means->push_back(static_cast<double>(s / sum));
    }
    return sum;
  };
  Enumerated result;
  const long double all = total(customers, &result.customers);
  result.throughput = static_cast<double>(total(customers - 1, nullptr) / all);
  return result;
}

TEST(Queueing, BalancedNetworkHasItsClosedForm) {
  // X(N) = N / (D (N + K - 1)) for K equal demands D; 32 disks of 8 ms.
  const auto results =
      solve_closed({{.name = "disks", .service_s = 8e-3, .visits = 1.0 / 32, .copies = 32}}, 160);
  for (const unsigned n : {1U, 8U, 32U, 128U, 160U}) {
    expect_exact(results[n - 1].throughput, n / (n + 31.0) * 32 / 8e-3, std::to_string(n));
  }
  EXPECT_LT(results[159].throughput, 4000);
}

TEST(Queueing, TwoStationsAreAGeometricSeries) {
  // G(N) = (a^(N+1) - b^(N+1)) / (a - b), X(N) = G(N-1) / G(N); J. P. Buzen, CACM 16, 1973.
  const double a = 5e-3;
  const double b = 3e-3;
  const auto results =
      solve_closed({{.name = "a", .service_s = a}, {.name = "b", .service_s = b}}, 50);
  for (const unsigned n : {1U, 2U, 7U, 50U}) {
    const double g0 = std::pow(a, n) - std::pow(b, n);
    const double g1 = std::pow(a, n + 1) - std::pow(b, n + 1);
    expect_exact(results[n - 1].throughput, g0 / g1, std::to_string(n));
  }
}

TEST(Queueing, TextbookExampleOfTwoCustomersAndAThinkTime) {
  // Demands 0.5 s and 1 s, think time 1 s: R(1) = 1.5 s, X(1) = 0.4/s, R(2) = 2 s, X(2) = 2/3 /s
  // (by hand: R = 0.5 x 1.2 + 1 x 1.4).
  const auto results = solve_closed({{.name = "think", .kind = StationKind::kDelay, .service_s = 1},
                                     {.name = "cpu", .service_s = 0.5},
                                     {.name = "disk", .service_s = 1}},
                                    2);
  expect_exact(results[0].throughput, 0.4, "X(1)");
  expect_exact(results[1].throughput, 2.0 / 3, "X(2)");
  expect_exact(results[1].stations[1].residence_s, 0.6, "cpu");
  expect_exact(results[1].stations[2].residence_s, 1.4, "disk");
  expect_exact(results[1].stations[2].utilisation, 2.0 / 3, "utilisation");
}

TEST(Queueing, MachineRepairmanIsErlangsFormula) {
  // M/M/1//N: P0 = 1 / sum N!/(N-k)! (S/Z)^k and X = (1 - P0) / S (e.g. L. Kleinrock, Queueing
  // Systems I, 1975, section 3.6).
  const double z = 0.1;
  const double s = 0.01;
  const auto results = solve_closed({{.name = "up", .kind = StationKind::kDelay, .service_s = z},
                                     {.name = "repair", .service_s = s}},
                                    40);
  for (const unsigned n : {1U, 5U, 20U, 40U}) {
    double term = 1;
    double sum = 1;
    for (unsigned k = 1; k <= n; ++k) {
      term *= (n - k + 1) * s / z;
      sum += term;
    }
    expect_exact(results[n - 1].throughput, (1 - 1 / sum) / s, std::to_string(n));
  }
}

TEST(Queueing, SeveralServersAreTheirBirthDeathChain) {
  // M/M/c//N with c = 3: p(k) from the balance of the birth-death chain.
  const double z = 2e-3;
  const double s = 1e-3;
  const unsigned c = 3;
  const auto results = solve_closed({{.name = "host", .kind = StationKind::kDelay, .service_s = z},
                                     {.name = "cores", .service_s = s, .rate = servers(c)}},
                                    60);
  for (const unsigned n : {1U, 2U, 3U, 4U, 12U, 60U}) {
    long double p = 1;
    long double sum = 1;
    long double busy = 0;
    for (unsigned k = 1; k <= n; ++k) {
      p *= (n - k + 1) * s / (z * std::min(k, c));
      sum += p;
      busy += p * std::min(k, c);
    }
    expect_exact(results[n - 1].throughput, static_cast<double>(busy / sum) / s, std::to_string(n));
    expect_exact(results[n - 1].stations[1].utilisation, static_cast<double>(busy / sum) / c, "U");
  }
}

TEST(Queueing, MixedNetworkEqualsTheSumOverItsStates) {
  const std::vector<Station> stations{
      {.name = "link", .kind = StationKind::kDelay, .service_s = 0.25e-3},
      {.name = "cores", .service_s = 0.1e-3, .rate = servers(4)},
      {.name = "port", .service_s = 0.02e-3},
      {.name = "fast disk", .service_s = 5e-3, .visits = 0.3},
      {.name = "deep disk", .service_s = 8e-3, .visits = 0.5, .rate = {1, 1.2, 1.35, 1.5}}};
  const auto results = solve_closed(stations, 16);
  for (const unsigned n : {1U, 2U, 5U, 16U}) {
    const Enumerated wanted = enumerate(stations, n);
    expect_exact(results[n - 1].throughput, wanted.throughput, "X");
    for (std::size_t k = 0; k < stations.size(); ++k) {
      expect_exact(results[n - 1].stations[k].customers, wanted.customers[k], stations[k].name);
    }
  }
}

TEST(Queueing, CopiesOfALoadDependentStationAreEachCounted) {
  const Station copy{
      .name = "disk", .service_s = 8e-3, .visits = 0.25, .copies = 4, .rate = {1, 1.3}};
  Station single = copy;
  single.copies = 1;
  const auto together = solve_closed({copy}, 10);
  const Enumerated wanted = enumerate({single, single, single, single}, 10);
  expect_exact(together[9].throughput, wanted.throughput, "X");
  expect_exact(together[9].stations[0].customers, 2.5, "by symmetry");
}

TEST(Queueing, HeavyLoadOnManyServersKeepsItsPrecision) {
  // Where load-dependent mean-value analysis loses all digits (p(0) far below 1e-16).
  const auto results =
      solve_closed({{.name = "host", .kind = StationKind::kDelay, .service_s = 1e-4},
                    {.name = "cores", .service_s = 1e-3, .rate = servers(16)}},
                   1000);
  expect_exact(results[999].throughput, 16000, "saturated");
  expect_exact(results[999].stations[1].customers, 1000 - 16000 * 1e-4,
               "Little's law at the delay");
}

TEST(Queueing, EveryPopulationIsAccountedFor) {
  const auto results =
      solve_closed({{.name = "z", .kind = StationKind::kDelay, .service_s = 1e-3},
                    {.name = "cores", .service_s = 2e-3, .rate = servers(2)},
                    {.name = "disks", .service_s = 8e-3, .visits = 0.1, .copies = 8}},
                   64);
  for (const NetworkResult& result : results) {
    const double sum = result.stations[0].customers + result.stations[1].customers +
                       8 * result.stations[2].customers;
    expect_exact(sum, result.customers, "customers");
  }
}

TEST(Queueing, BoundsHoldTheExactSolutionBetweenThem) {
  const std::vector<Station> stations{{.name = "z", .kind = StationKind::kDelay, .service_s = 15},
                                      {.name = "cpu", .service_s = 5},
                                      {.name = "disk 1", .service_s = 4},
                                      {.name = "disk 2", .service_s = 3}};
  const auto results = solve_closed(stations, 30);
  for (const NetworkResult& result : results) {
    const ThroughputBounds bounds = throughput_bounds(stations, result.customers);
    EXPECT_LE(result.throughput, bounds.balanced_upper * (1 + kExact));
    EXPECT_LE(bounds.balanced_upper, bounds.upper * (1 + kExact));
    EXPECT_GE(result.throughput, bounds.balanced_lower * (1 - kExact));
    EXPECT_GE(bounds.balanced_lower, bounds.lower * (1 - kExact));
    EXPECT_EQ(bounds.bottleneck, "cpu");
    expect_exact(bounds.saturation, 27.0 / 5, "N*");
  }
}

TEST(Queueing, ThroughputNeverGrowsFasterThanTheLoad) {
  const auto results =
      solve_closed({{.name = "z", .kind = StationKind::kDelay, .service_s = 3e-4},
                    {.name = "cores", .service_s = 2e-5, .rate = servers(4)},
                    {.name = "disks", .service_s = 8e-3, .visits = 0.9 / 32, .copies = 32}},
                   160);
  for (std::size_t i = 1; i < results.size(); ++i) {
    EXPECT_LE(results[i].throughput / results[i - 1].throughput,
              static_cast<double>(i + 1) / static_cast<double>(i) + 1e-12);
    EXPECT_GE(results[i].throughput, results[i - 1].throughput);
  }
}

TEST(Queueing, NonsenseIsRefusedByName) {
  EXPECT_THAT([] { (void)solve_closed({{.name = "d", .service_s = -1}}, 1); },
              ThrowsMessage<UsageError>(HasSubstr("station 'd': service time -1")));
  EXPECT_THAT([] { (void)solve_closed({{.name = "d", .service_s = NAN}}, 1); },
              ThrowsMessage<UsageError>(HasSubstr("service time nan")));
  EXPECT_THAT([] { (void)solve_closed({{.name = "d", .service_s = 1, .rate = {0}}}, 1); },
              ThrowsMessage<UsageError>(HasSubstr("rate 0")));
  EXPECT_THAT([] { (void)solve_closed({{.name = "d", .service_s = 1}}, 0); },
              ThrowsMessage<UsageError>(HasSubstr("0 customers")));
  EXPECT_THAT([] { (void)solve_closed({}, 1); },
              ThrowsMessage<UsageError>(HasSubstr("nothing takes time")));
}

}  // namespace
}  // namespace rigel
