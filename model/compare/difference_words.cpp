#include "model/compare/difference_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "traces/io_record.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

// The value that this share of the finite observations does not exceed.
double quantile(const BlockedSamples& samples, double share) {
  const std::vector<double> histogram = samples.histogram();
  double below = 0;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    below += histogram[bin];
    if (histogram[bin] > 0 && below >= share * samples.count()) {
      return static_cast<double>(log_bins::low_of(bin));
    }
  }
  return 0;
}

std::string sizes_of(const BlockedSamples& samples) {
  const std::vector<double> histogram = samples.histogram();
  const auto most = std::max_element(histogram.begin(), histogram.end());
  return fmt::format(
      "{} on average ({} of them {})", figure_text(FigureUnit::kBytes, samples.mean()),
      format_percent(*most / samples.count()),
      format_bytes(log_bins::low_of(static_cast<std::size_t>(most - histogram.begin()))));
}

std::string op_words(const BlockedSamples& a, const BlockedSamples& b) {
  const std::vector<double> in_a = a.histogram();
  const std::vector<double> in_b = b.histogram();
  const auto share = [](const std::vector<double>& histogram, double count, std::size_t op) {
    return op < histogram.size() ? histogram[op] / count : 0;
  };
  std::size_t widest = 0;
  double gap = -1;
  for (std::size_t op = 0; op < kIoOpCount; ++op) {
    const double here = std::abs(share(in_a, a.count(), op) - share(in_b, b.count(), op));
    if (here > gap + 1e-12) {
      gap = here;
      widest = op;
    }
  }
  return fmt::format(
      "{} of A's I/Os are {} operations, {} of B's", format_percent(share(in_a, a.count(), widest)),
      op_name(static_cast<IoOp>(widest)), format_percent(share(in_b, b.count(), widest)));
}

// "B's I/Os come 2.00 times as fast" and the like: which is more, and how many times.
std::string times_as(double a, double b, const char* more) {
  const double least = std::min(a, b);
  const char* who = a > b ? "A" : "B";
  if (least <= 0) return fmt::format("only {} is {}", who, more);
  return fmt::format("{} is {:.2f} times as {}", who, std::max(a, b) / least, more);
}

std::string gap_words(const BlockedSamples& a, const BlockedSamples& b) {
  if (a.mean() <= 0 || b.mean() <= 0) return "all I/Os of one of them start at once";
  const auto time = [](double ns) { return figure_text(FigureUnit::kNanoseconds, ns); };
  if (std::abs(std::log(a.mean() / b.mean())) < 0.05) {
    return fmt::format(
        "arrivals are as many, but their gaps are spread otherwise: half are below "
        "{} in A, below {} in B",
        time(quantile(a, 0.5)), time(quantile(b, 0.5)));
  }
  return fmt::format("{}: I/Os come {} apart on average in A, {} in B",
                     times_as(1 / a.mean(), 1 / b.mean(), "fast"), time(a.mean()), time(b.mean()));
}

// Which I/Os a key is of.
std::string whose(const Difference& difference) {
  const std::string& key = difference.key;
  if (key.starts_with("read_")) return "reads";
  if (key.starts_with("write_")) return "writes";
  return "I/O of " + key.substr(key.find('.') + 1);
}

// The cache size at which the two miss ratio curves are farthest apart.
std::string reuse_words(const Difference& difference, const BlockedSamples& a,
                        const BlockedSamples& b, std::uint32_t page_bytes) {
  std::vector<double> in_a = a.histogram();
  std::vector<double> in_b = b.histogram();
  in_a.resize(BlockedSamples::kInfinite + 1);
  in_b.resize(BlockedSamples::kInfinite + 1);
  double hits_a = 0;
  double hits_b = 0;
  double at_a = 0;
  double at_b = 0;
  double pages = 0;
  for (std::size_t bin = 0; bin < BlockedSamples::kInfinite; ++bin) {
    if (in_a[bin] == 0 && in_b[bin] == 0) continue;
    hits_a += in_a[bin] / a.count();
    hits_b += in_b[bin] / b.count();
    if (std::abs(hits_a - hits_b) <= std::abs(at_a - at_b)) continue;
    at_a = hits_a;
    at_b = hits_b;
    pages = static_cast<double>(log_bins::low_of(bin + 1));
  }
  return fmt::format(
      "{} of A's page {} are of pages touched before, {} of B's: an LRU cache of {} hits {} of A, "
      "{} of B",
      format_percent(difference.a), whose(difference), format_percent(difference.b),
      figure_text(FigureUnit::kBytes, pages * page_bytes), format_percent(at_a),
      format_percent(at_b));
}

std::string latency_words(const Difference& difference, const BlockedSamples& a,
                          const BlockedSamples& b) {
  const auto of = [](const BlockedSamples& samples) {
    return fmt::format("{} on average, half within {}, 99 % within {}",
                       figure_text(FigureUnit::kNanoseconds, samples.mean()),
                       figure_text(FigureUnit::kNanoseconds, quantile(samples, 0.5)),
                       figure_text(FigureUnit::kNanoseconds, quantile(samples, 0.99)));
  };
  return fmt::format("{} take {} in A; {} in B", whose(difference), of(a), of(b));
}

}  // namespace

std::string figure_text(FigureUnit unit, double value) {
  switch (unit) {
    case FigureUnit::kShare:
      return format_percent(value);
    case FigureUnit::kBytes:
      return format_bytes(static_cast<std::uint64_t>(std::llround(value)));
    case FigureUnit::kBytesPerSecond:
      return figure_text(FigureUnit::kBytes, value) + "/s";
    case FigureUnit::kNanoseconds:
      return format_duration(std::llround(value));
    case FigureUnit::kCount:
      break;
  }
  if (value >= 1000 && value < 1e18)
    return format_count(static_cast<std::uint64_t>(std::llround(value)));
  return fmt::format("{:.4g}", value);
}

std::string difference_words(const Difference& difference, const BlockedSamples& a,
                             const BlockedSamples& b, std::uint32_t page_bytes) {
  const std::string& key = difference.key;
  if (key == "op_mix") return op_words(a, b);
  if (difference.family == "reuse") return reuse_words(difference, a, b, page_bytes);
  if (key == "interarrival_ns") return gap_words(a, b);
  if (difference.family == "latency") return latency_words(difference, a, b);
  if (difference.unit == FigureUnit::kBytes) {
    return fmt::format("{} of A are {}, of B {}", difference.family.substr(0, key.find('_')) + "s",
                       sizes_of(a), sizes_of(b));
  }
  if (difference.family == "sequentiality") {
    return fmt::format("{} of A's {} go on where an earlier I/O ended, {} of B's",
                       format_percent(difference.a), whose(difference),
                       format_percent(difference.b));
  }
  if (key == "arrivals_per_100ms") {
    return fmt::format("{}: {:.4g} I/Os start in 100 ms on average in A, {:.4g} in B",
                       times_as(difference.a, difference.b, "fast"), difference.a, difference.b);
  }
  if (key == "unevenness") {
    return fmt::format(
        "{}'s arrivals are burstier: 64 of them are uneven by {} in A, {} in B "
        "(a Poisson process: 9.9 %)",
        difference.a > difference.b ? "A" : "B", format_percent(difference.a),
        format_percent(difference.b));
  }
  return fmt::format("{:.4g} I/Os are outstanding on average when one arrives in A, {:.4g} in B",
                     difference.a, difference.b);
}

std::string place_words(const Difference& difference, const PageHeatSnapshot& a,
                        const PageHeatSnapshot& b) {
  if (difference.key == "footprint_bytes") {
    return fmt::format("A touches {}, B {} in as many requests",
                       figure_text(FigureUnit::kBytes, difference.a),
                       figure_text(FigureUnit::kBytes, difference.b));
  }
  const auto shares = [](const PageHeatSnapshot& heat) {
    std::string text;
    for (const double top : {0.01, 0.05, 0.1}) {
      const auto at = std::find(kTops.begin(), kTops.end(), top) - kTops.begin();
      text += (text.empty() ? "" : ", ") +
              format_percent(heat.top_shares[static_cast<std::size_t>(at)]);
    }
    return text;
  };
  return fmt::format("the hottest 1, 5 and 10 % of the pages get {} of A's accesses; {} of B's",
                     shares(a), shares(b));
}

}  // namespace rigel
