// How often the 95 % interval of sampled ratios covers the exact one, over every trace in
// RIGEL_TEST_DATA and 20 seeds, and how far the estimate is off. Fails when it is less often.
//   sampled_coverage [RATE]        (0.05 unless given)
// Each seed takes 8 samples. Sizes are 5 to 70 % of the trace's pages; the exact head ends at a
// 64th of them, so none is exact. A trace of few pages needs a higher rate to have a sample at all:
// the rate is what gives 100 pages a sample, if that is more.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/cache/cache_analysis.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr std::uint32_t kPageBytes = 4096;
constexpr std::array kSizes{0.05, 0.1, 0.2, 0.4, 0.7};
constexpr std::uint64_t kSeeds = 20;
constexpr double kFewestPages = 100;

struct Coverage {
  std::size_t values = 0;
  std::size_t covered = 0;
  double error = 0;  // the sum of absolute ones
  double width = 0;

  void add(const EstimatedRatios& estimate, double exact) {
    constexpr double kRounding = 1e-9;
    ++values;
    covered += estimate.low - kRounding <= exact && exact <= estimate.high + kRounding ? 1 : 0;
    error += std::abs(estimate.mean.page - exact);
    width += estimate.high - estimate.low;
  }
  Coverage& operator+=(const Coverage& other) {
    values += other.values;
    covered += other.covered;
    error += other.error;
    width += other.width;
    return *this;
  }
  void print(const std::string& name, double rate) const {
    const auto count = static_cast<double>(values);
    fmt::print("{:36} {:6.3f} {:8} {:8.1f} % {:10.4f} {:10.4f}\n", name, rate, values,
               100 * static_cast<double>(covered) / count, error / count, width / count);
  }
};

CacheAnswer answer(const std::string& path, const CacheQuestion& question) {
  OpenOptions options;
  options.columns = PageStream::columns(question.stream);
  const std::unique_ptr<TraceSource> source = open_trace({path}, options);
  return analyze_cache(*source, question);
}

Coverage coverage_of(const std::string& path, double rate, double& used_rate) {
  CacheQuestion question{.stream = {.page_bytes = kPageBytes}, .cache_bytes = {kPageBytes}};
  const double pages = answer(path, question).distinct_pages;
  question.cache_bytes.clear();
  for (const double size : kSizes) {
    question.cache_bytes.push_back(static_cast<std::uint64_t>(size * pages) * kPageBytes);
  }
  const CacheAnswer exact = answer(path, question);
  used_rate = std::min(0.5, std::max(rate, kFewestPages / pages));
  question.sampling = {.rate = used_rate,
                       .exact_below_pages = static_cast<std::uint64_t>(pages / 64)};
  Coverage coverage;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    question.sampling->seed = seed;
    const CacheAnswer sampled = answer(path, question);
    for (std::size_t i = 0; i < exact.results.size(); ++i) {
      coverage.add(sampled.results[i].ratios, exact.results[i].ratios.mean.page);
    }
  }
  return coverage;
}

int run(double rate) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator{RIGEL_TEST_DATA "/traces"}) {
    if (entry.path().extension() != ".md") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  fmt::print("{:36} {:>6} {:>8} {:>10} {:>10} {:>10}\n", "trace", "rate", "values", "covered",
             "error", "width");
  Coverage all;
  for (const std::string& path : paths) {
    const std::string name = std::filesystem::path{path}.filename();
    try {
      double used_rate = 0;
      const Coverage one = coverage_of(path, rate, used_rate);
      one.print(name, used_rate);
      all += one;
    } catch (const Error& error) {
      fmt::print("{:36} left out: {}\n", name, error.what());
    }
  }
  all.print("all", rate);
  return static_cast<double>(all.covered) >= 0.95 * static_cast<double>(all.values) ? 0 : 1;
}

}  // namespace
}  // namespace rigel

int main(int argc, char** argv) {
  return rigel::run(argc > 1 ? std::stod(argv[1]) : 0.05);
}
