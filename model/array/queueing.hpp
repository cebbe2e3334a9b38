// Closed queueing networks with one class of customers, solved exactly: what a fixed number of
// outstanding I/Os get out of a set of stations when the network is of product form (exponential
// service at first-come-first-served stations; any distribution at delays).
//
// Fixed-rate stations and delays by mean-value analysis (M. Reiser, S. S. Lavenberg, "Mean-Value
// Analysis of Closed Multichain Queuing Networks", JACM 27, 1980). Stations whose rate depends on
// their queue (several servers, schedulers that gain from depth) are composed in by exact
// aggregation (K. M. Chandy, U. Herzog, L. Woo, "Parametric analysis of queuing networks", IBM J.
// Res. Dev. 19, 1975), which sums positive terms only and so has none of the cancellation that
// plagues load-dependent mean-value analysis. Bounds after E. D. Lazowska et al., "Quantitative
// System Performance", 1984, chapter 5, and J. Zahorjan et al., CACM 25, 1982.
//
// Pure functions. Units: seconds and customers per second, whatever the caller calls a second.
// They throw UsageError for negative, infinite or missing parameters.
#pragma once

#include <string>
#include <vector>

namespace rigel {

enum class StationKind {
  kDelay,  // no queue: every customer is served at once
  kQueue,  // one queue; see Station::rate
};

struct Station {
  std::string name;
  StationKind kind = StationKind::kQueue;
  double service_s = 0;  // mean service of one visit by a customer alone
  double visits = 1;     // visits to each of the copies per customer's cycle
  unsigned copies = 1;   // identical stations, each with its own queue (the disks of a set)
  // How much faster than alone the station works with 1, 2, … customers; the last value holds for
  // all larger numbers. Empty: always 1. m servers are {1, 2, …, m}.
  std::vector<double> rate = {};
};

// {1, 2, …, m}
[[nodiscard]] std::vector<double> servers(unsigned count);

struct StationResult {
  double residence_s = 0;  // per cycle, in all visits to one copy
  double customers = 0;    // mean number at one copy, waiting or served
  double utilisation = 0;  // of one copy: the part of its greatest rate that is in use
};

struct NetworkResult {
  unsigned customers = 0;
  double throughput = 0;                // cycles per second
  double response_s = 0;                // of a whole cycle: customers / throughput
  std::vector<StationResult> stations;  // in the order given
};

// For 1, 2, …, `customers`. At most 4096 customers.
[[nodiscard]] std::vector<NetworkResult> solve_closed(const std::vector<Station>& stations,
                                                      unsigned customers);

// What no arrangement of queues can exceed, from the demands alone.
struct ThroughputBounds {
  double upper = 0;           // asymptotic: min(1 / Dmax, N / (D + Z))
  double lower = 0;           // every customer waits for all the others: N / (N D + Z)
  double balanced_upper = 0;  // balanced job bounds; fixed-rate stations only, otherwise they
  double balanced_lower = 0;  // repeat the asymptotic ones
  double saturation = 0;      // N* = (D + Z) / Dmax
  std::string bottleneck;     // the station of the greatest demand
};
[[nodiscard]] ThroughputBounds throughput_bounds(const std::vector<Station>& stations,
                                                 double customers);

}  // namespace rigel
