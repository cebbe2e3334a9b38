#include "model/array/queueing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr unsigned kMostCustomers = 4096;

bool load_dependent(const Station& station) {
  return station.kind == StationKind::kQueue &&
         std::any_of(station.rate.begin(), station.rate.end(), [](double r) { return r != 1; });
}

double rate_with(const Station& station, unsigned customers) {
  if (station.rate.empty() || customers == 0) return 1;
  return station.rate[std::min<std::size_t>(customers, station.rate.size()) - 1];
}

double greatest_rate(const Station& station) {
  return station.rate.empty() ? 1 : *std::max_element(station.rate.begin(), station.rate.end());
}

double demand(const Station& station) {
  return station.service_s * station.visits;
}

void validate(const std::vector<Station>& stations) {
  bool any = false;
  for (const Station& station : stations) {
    const auto refuse = [&](const char* what, double value) {
      return UsageError{
          fmt::format("station '{}': {} {} makes no sense", station.name, what, value)};
    };
    if (!std::isfinite(station.service_s) || station.service_s < 0) {
      throw refuse("service time", station.service_s);
    }
    if (!std::isfinite(station.visits) || station.visits < 0) {
      throw refuse("visits", station.visits);
    }
    if (station.copies == 0) throw refuse("copies", 0);
    for (const double rate : station.rate) {
      if (!std::isfinite(rate) || rate <= 0) throw refuse("rate", rate);
    }
    any = any || demand(station) > 0;
  }
  if (!any) throw UsageError{"a queueing network in which nothing takes time"};
}

// Throughput of a network (or a part of one) with 0, 1, …, n customers in it.
using Rates = std::vector<double>;

// Mean-value analysis of the fixed-rate stations and delays alone. All 0 when there are none.
Rates fixed_part(const std::vector<Station>& stations, unsigned customers) {
  Rates rates(customers + 1, 0);
  std::vector<double> queued(stations.size(), 0);
  for (unsigned n = 1; n <= customers; ++n) {
    double cycle = 0;
    for (std::size_t k = 0; k < stations.size(); ++k) {
      if (load_dependent(stations[k])) continue;
      const bool waits = stations[k].kind == StationKind::kQueue;
      cycle += stations[k].copies * demand(stations[k]) * (waits ? 1 + queued[k] : 1);
    }
    if (cycle == 0) return {};
    rates[n] = n / cycle;
    for (std::size_t k = 0; k < stations.size(); ++k) {
      if (load_dependent(stations[k])) continue;
      queued[k] = rates[n] * demand(stations[k]) * (1 + queued[k]);
    }
  }
  return rates;
}

// -ln of the product of the rates up to each number: the weight of that many customers there.
std::vector<double> log_weights(const Rates& rates) {
  std::vector<double> weights(rates.size(), 0);
  for (std::size_t n = 1; n < rates.size(); ++n) {
    weights[n] = weights[n - 1] - std::log(rates[n]);
  }
  return weights;
}

Rates own_rates(const Station& station, unsigned customers) {
  Rates rates(customers + 1, 0);
  for (unsigned n = 1; n <= customers; ++n) rates[n] = rate_with(station, n) / demand(station);
  return rates;
}

// Two parts in one cycle: the weights of the whole, ln G(n) with G(n) = sum over j of a(j) b(n-j).
std::vector<double> compose(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> whole(a.size());
  for (std::size_t n = 0; n < a.size(); ++n) {
    double greatest = -INFINITY;
    for (std::size_t j = 0; j <= n; ++j) greatest = std::max(greatest, a[j] + b[n - j]);
    long double sum = 0;
    for (std::size_t j = 0; j <= n; ++j) sum += std::exp(a[j] + b[n - j] - greatest);
    whole[n] = greatest + static_cast<double>(std::log(sum));
  }
  return whole;
}

// Weights of everything but one copy of station `left_out` (or of everything: npos).
std::vector<double> weights_without(const std::vector<Station>& stations, unsigned customers,
                                    std::size_t left_out) {
  std::vector<double> weights;
  const auto add = [&](const std::vector<double>& part) {
    weights = weights.empty() ? part : compose(weights, part);
  };
  const Rates fixed = fixed_part(stations, customers);
  if (!fixed.empty()) add(log_weights(fixed));
  for (std::size_t k = 0; k < stations.size(); ++k) {
    if (!load_dependent(stations[k]) || demand(stations[k]) == 0) continue;
    const std::vector<double> own = log_weights(own_rates(stations[k], customers));
    const unsigned copies = stations[k].copies - (k == left_out ? 1 : 0);
    for (unsigned copy = 0; copy < copies; ++copy) add(own);
  }
  if (weights.empty()) {  // nothing besides the station left out: only 0 customers can be there
    weights.assign(customers + 1, -INFINITY);
    weights[0] = 0;
  }
  return weights;
}

// Mean customers at one copy of load-dependent station k, for every population.
std::vector<double> customers_at(const std::vector<Station>& stations, unsigned customers,
                                 std::size_t k, const std::vector<double>& whole) {
  const std::vector<double> own = log_weights(own_rates(stations[k], customers));
  const std::vector<double> rest = weights_without(stations, customers, k);
  std::vector<double> means(customers + 1, 0);
  for (unsigned n = 1; n <= customers; ++n) {
    long double mean = 0;
    for (unsigned j = 1; j <= n; ++j) mean += j * std::exp(own[j] + rest[n - j] - whole[n]);
    means[n] = static_cast<double>(mean);
  }
  return means;
}

}  // namespace

std::vector<double> servers(unsigned count) {
  std::vector<double> rate(count);
  for (unsigned i = 0; i < count; ++i) rate[i] = i + 1;
  return rate;
}

std::vector<NetworkResult> solve_closed(const std::vector<Station>& stations, unsigned customers) {
  validate(stations);
  if (customers == 0 || customers > kMostCustomers) {
    throw UsageError{
        fmt::format("{} customers: from 1 to {} can be solved", customers, kMostCustomers)};
  }
  const bool any_load_dependent = std::any_of(
      stations.begin(), stations.end(),
      [](const Station& station) { return load_dependent(station) && demand(station) > 0; });
  Rates throughput;
  std::vector<std::vector<double>> at(stations.size());
  if (!any_load_dependent) {
    throughput = fixed_part(stations, customers);
  } else {
    const std::vector<double> whole = weights_without(stations, customers, stations.size());
    throughput.assign(customers + 1, 0);
    for (unsigned n = 1; n <= customers; ++n) throughput[n] = std::exp(whole[n - 1] - whole[n]);
    for (std::size_t k = 0; k < stations.size(); ++k) {
      if (!load_dependent(stations[k]) || demand(stations[k]) == 0) continue;
      at[k] = customers_at(stations, customers, k, whole);
    }
  }

  std::vector<NetworkResult> results(customers);
  std::vector<double> before(stations.size(), 0);  // customers met on arrival, one fewer in all
  for (unsigned n = 1; n <= customers; ++n) {
    NetworkResult& result = results[n - 1];
    result.customers = n;
    result.throughput = throughput[n];
    result.response_s = n / throughput[n];
    for (std::size_t k = 0; k < stations.size(); ++k) {
      const Station& station = stations[k];
      const double work = throughput[n] * demand(station);
      StationResult& here = result.stations.emplace_back();
      if (!at[k].empty()) {
        here.customers = at[k][n];
      } else {
        here.customers = work * (station.kind == StationKind::kQueue ? 1 + before[k] : 1);
      }
      here.residence_s = here.customers / throughput[n];
      here.utilisation = station.kind == StationKind::kQueue ? work / greatest_rate(station) : 0;
      before[k] = here.customers;
    }
  }
  return results;
}

ThroughputBounds throughput_bounds(const std::vector<Station>& stations, double customers) {
  validate(stations);
  if (!(customers > 0)) throw UsageError{"bounds for less than one customer"};
  double total = 0;  // D: all demands at queues, by a customer alone
  double delay = 0;  // Z
  double largest = 0;
  double copies = 0;
  double quickest = 0;  // the least a cycle can take where a queue makes its station faster
  bool fixed_rates = true;
  ThroughputBounds bounds;
  for (const Station& station : stations) {
    if (station.kind == StationKind::kDelay) {
      delay += station.copies * demand(station);
      continue;
    }
    total += station.copies * demand(station);
    copies += station.copies;
    double gain = 1;
    for (std::size_t j = 0; j < station.rate.size(); ++j) {
      gain = std::max(gain, station.rate[j] / static_cast<double>(j + 1));
    }
    quickest += station.copies * demand(station) / gain;
    fixed_rates = fixed_rates && !load_dependent(station);
    const double limit = demand(station) / greatest_rate(station);
    if (limit > largest) {
      largest = limit;
      bounds.bottleneck = station.name;
    }
  }
  const double n = customers;
  bounds.upper = n / (quickest + delay);
  if (largest > 0) bounds.upper = std::min(bounds.upper, 1 / largest);
  bounds.lower = n / (n * total + delay);
  bounds.saturation = largest > 0 ? (total + delay) / largest : INFINITY;
  bounds.balanced_upper = bounds.upper;
  bounds.balanced_lower = bounds.lower;
  if (fixed_rates && total > 0) {
    const double average = total / copies;
    bounds.balanced_upper =
        std::min(1 / largest, n / (total + delay + (n - 1) * average / (1 + delay / total)));
    bounds.balanced_lower = n / (total + delay + (n - 1) * largest / (1 + delay / (n * total)));
  }
  return bounds;
}

}  // namespace rigel
