#include "model/compare/fio_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr double kNearEnough = 0.1;
constexpr double kMostTheta = 1.6;
constexpr double kThetaStep = 0.05;
constexpr double kMostBlocks = 1e12;
constexpr double kClock = 0.03;  // unevenness below this is that of a clock

// Ranks of Zipf's law one by one, then in groups of 5 %.
struct RankGroup {
  double blocks = 0;
  double share = 0;  // of each, of all requests
};

std::vector<RankGroup> zipf_groups(double blocks, double theta) {
  std::vector<RankGroup> groups;
  double sum = 0;
  for (double first = 1; first <= blocks;) {
    const double size = std::min(std::max(1.0, std::floor(first / 20)), blocks - first + 1);
    const double weight = std::pow(first + (size - 1) / 2, -theta);
    groups.push_back({size, weight});
    sum += size * weight;
    first += size;
  }
  for (RankGroup& group : groups) group.share /= sum;
  return groups;
}

double expected_distinct(const std::vector<RankGroup>& groups, double requests) {
  double distinct = 0;
  for (const RankGroup& group : groups) {
    distinct -= group.blocks * std::expm1(-requests * group.share);
  }
  return distinct;
}

// Over how many blocks so many requests touch that many distinct ones.
double blocks_for(double theta, double requests, double distinct) {
  double low = std::log(std::max(1.0, distinct));
  double high = std::log(kMostBlocks);
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    const double found = expected_distinct(zipf_groups(std::exp(middle), theta), requests);
    (found < distinct ? low : high) = middle;
  }
  return std::round(std::exp(low));
}

// How the touched blocks' counts are expected to fall: Poisson for each.
LorenzCurve expected_curve(const std::vector<RankGroup>& groups, double requests) {
  constexpr double kManyRequests = 200;  // to one block: as many as expected, near enough
  std::map<double, double, std::greater<>> counts;
  for (const RankGroup& group : groups) {
    const double mean = requests * group.share;
    if (mean > kManyRequests) {
      counts[mean] += group.blocks;
      continue;
    }
    double chance = std::exp(-mean);
    for (double count = 1; count < mean + 12 * std::sqrt(mean) + 12; ++count) {
      chance *= mean / count;
      counts[count] += group.blocks * chance;
    }
  }
  std::vector<PagesOfCount> list;
  for (const auto& [accesses, pages] : counts) list.push_back({accesses, pages});
  return lorenz_curve(list);
}

double largest_gap(const LorenzCurve& a, const LorenzCurve& b) {
  double gap = 0;
  for (std::size_t i = 0; i < a.size(); ++i) gap = std::max(gap, std::abs(a[i] - b[i]));
  return gap;
}

struct Size {
  std::uint64_t bytes = 0;
  int percent = 0;
};

// The sizes of a 50th and more of the requests, their shares in whole percents that add up.
std::vector<Size> main_sizes(const BlockedSamples& samples) {
  constexpr double kLeastShare = 0.02;
  std::map<std::uint64_t, double> shares;
  const std::vector<double> histogram = samples.histogram();
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    if (histogram[bin] == 0) continue;
    // fio wants whole sectors.
    const std::uint64_t bytes = std::max<std::uint64_t>(1, log_bins::low_of(bin) / 512) * 512;
    shares[bytes] += histogram[bin] / samples.count();
  }
  double kept = 0;
  const auto most = std::max_element(shares.begin(), shares.end(),
                                     [](auto& x, auto& y) { return x.second < y.second; });
  const std::uint64_t main_bytes = most->first;
  for (const auto& [bytes, share] : shares) {
    if (share >= kLeastShare || bytes == main_bytes) kept += share;
  }
  std::vector<Size> sizes;
  int left = 100;
  std::size_t main = 0;
  for (const auto& [bytes, share] : shares) {
    if (share < kLeastShare && bytes != main_bytes) continue;
    if (bytes == main_bytes) main = sizes.size();
    const int percent = static_cast<int>(100 * share / kept);
    sizes.push_back({bytes, percent});
    left -= percent;
  }
  sizes[main].percent += left;
  return sizes;
}

std::string split_text(const std::vector<Size>& sizes) {
  std::string text;
  for (const Size& size : sizes) {
    text += fmt::format("{}{}/{}", text.empty() ? "" : ":", size.bytes, size.percent);
  }
  return text;
}

// Shares of accesses and of size, in whole percents that add up.
std::string zones_text(const LorenzCurve& curve) {
  constexpr std::array kEdges{0.01, 0.05, 0.1, 0.2, 0.5};
  std::string text;
  int accesses_before = 0;
  int size_before = 0;
  for (const double edge : kEdges) {
    const auto at =
        static_cast<std::size_t>(std::find(kTops.begin(), kTops.end(), edge) - kTops.begin());
    const int accesses = static_cast<int>(std::lround(100 * curve[at]));
    const int size = static_cast<int>(std::lround(100 * edge));
    if (accesses <= accesses_before || accesses >= 100) continue;
    text += fmt::format("{}/{}:", accesses - accesses_before, size - size_before);
    accesses_before = accesses;
    size_before = size;
  }
  return text + fmt::format("{}/{}", 100 - accesses_before, 100 - size_before);
}

// Requests in blocks: what a request of the mean length takes.
struct Spread {
  ZipfSpread zipf;
  double block_bytes = 0;
  double footprint_bytes = 0;
  LorenzCurve curve{};
};

std::optional<Spread> spread_of(const WorkloadProfile& profile) {
  const BlockedSamples& reuse = profile.of(Figure::kReuseDistance);
  const double requests = profile.of(Figure::kSequential).count();
  if (requests == 0 || reuse.count() == 0) return std::nullopt;
  const PageHeatSnapshot& heat = profile.places.back().heat;
  const double pages_a_request = std::max(1.0, reuse.count() / requests);
  Spread spread;
  spread.block_bytes = pages_a_request * profile.page_bytes;
  spread.footprint_bytes = heat.distinct_pages * profile.page_bytes;
  spread.curve = heat.top_shares;
  spread.zipf = nearest_zipf(requests, heat.distinct_pages / pages_a_request, heat.top_shares);
  return spread;
}

// The depth that all but a hundredth of the I/Os found, at most.
double high_depth(const WorkloadProfile& profile) {
  const BlockedSamples& depth = profile.of(Figure::kQueueDepth);
  const std::vector<double> histogram = depth.histogram();
  double below = 0;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    below += histogram[bin];
    if (below >= 0.99 * depth.count()) return static_cast<double>(log_bins::low_of(bin));
  }
  return 0;
}

class JobWriter {
 public:
  explicit JobWriter(const WorkloadProfile& profile) : profile_{profile} {}
  [[nodiscard]] FioJob write(const Spread& spread);

 private:
  void set(const char* name, std::string value) {
    job_.settings.emplace_back(name, std::move(value));
  }
  void add_mix(double random_percent);
  void add_sizes();
  void add_places(const Spread& spread, double random_percent);
  void add_times();

  const WorkloadProfile& profile_;
  FioJob job_;
};

void JobWriter::add_mix(double random_percent) {
  const bool random = random_percent >= 1;
  const auto both = static_cast<double>(profile_.reads + profile_.writes);
  const char* const kind = profile_.writes == 0  ? (random ? "randread" : "read")
                           : profile_.reads == 0 ? (random ? "randwrite" : "write")
                                                 : (random ? "randrw" : "rw");
  set("rw", kind);
  if (profile_.reads != 0 && profile_.writes != 0) {
    set("rwmixread", fmt::format("{:.0f}", 100 * static_cast<double>(profile_.reads) / both));
  }
}

void JobWriter::add_sizes() {
  const BlockedSamples& reads = profile_.of(Figure::kReadBytes);
  const BlockedSamples& writes = profile_.of(Figure::kWriteBytes);
  const std::string of_reads = split_text(main_sizes(reads.count() > 0 ? reads : writes));
  const std::string of_writes = split_text(main_sizes(writes.count() > 0 ? writes : reads));
  set("bssplit", of_reads == of_writes ? of_reads : of_reads + "," + of_writes);
}

void JobWriter::add_places(const Spread& spread, double random_percent) {
  const bool zoned = spread.zipf.gap > kNearEnough;
  const double bytes = zoned ? spread.footprint_bytes : spread.zipf.blocks * spread.block_bytes;
  const double sectors = std::ceil(std::min(bytes, 0x1p62) / 4096) * 4096;
  set("size", fmt::format("{:.0f}", std::max(sectors, 1048576.0)));
  if (random_percent < 1) return;
  if (zoned) {
    set("random_distribution", "zoned:" + zones_text(spread.curve));
  } else if (spread.zipf.theta > 0) {
    set("random_distribution", fmt::format("zipf:{:.2f}", spread.zipf.theta));
  } else {
    set("random_distribution", "random");
  }
  if (random_percent <= 99) set("percentage_random", fmt::format("{:.0f}", random_percent));
  set("norandommap", "1");
  set("randrepeat", "0");
}

void JobWriter::add_times() {
  if (profile_.duration_ns <= 0) {
    job_.notes.emplace_back("the trace has no times: set iodepth, or rate_iops, yourself");
    return;
  }
  const double seconds = static_cast<double>(profile_.duration_ns) * 1e-9;
  const auto rate = [&](std::uint64_t count) {
    return std::max(1.0, std::round(static_cast<double>(count) / seconds));
  };
  if (profile_.reads == 0 || profile_.writes == 0) {
    set("rate_iops", fmt::format("{:.0f}", rate(profile_.reads + profile_.writes)));
  } else {
    set("rate_iops", fmt::format("{:.0f},{:.0f}", rate(profile_.reads), rate(profile_.writes)));
  }
  const BlockedSamples& unevenness = profile_.of(Figure::kUnevenness);
  const double uneven = unevenness.mean() / 1000;
  set("rate_process", unevenness.count() > 0 && uneven < kClock ? "linear" : "poisson");
  if (uneven > 0.2) {
    job_.notes.push_back(
        fmt::format("arrivals come in bursts (unevenness {:.2f}, a Poisson process has 0.10), "
                    "which fio's rates do not follow: replay the trace for that",
                    uneven));
  }
  const double depth = high_depth(profile_);
  if (depth > 0) {
    set("iodepth", fmt::format("{:.0f}", depth));
  } else {
    set("iodepth", "64");
    job_.notes.emplace_back("the trace has no completions: iodepth is a guess");
  }
  set("time_based", "1");
  set("runtime", fmt::format("{:.0f}", std::max(1.0, std::ceil(seconds))));
}

FioJob JobWriter::write(const Spread& spread) {
  const double random_percent = 100 * (1 - profile_.of(Figure::kSequential).mean());
  add_mix(random_percent);
  add_sizes();
  add_places(spread, random_percent);
  add_times();
  if (profile_.records > profile_.reads + profile_.writes) {
    job_.notes.push_back(
        fmt::format("{} flushes, discards and the like are left out",
                    format_count(profile_.records - profile_.reads - profile_.writes)));
  }
  return std::move(job_);
}

}  // namespace

ZipfSpread nearest_zipf(double requests, double distinct_blocks, const LorenzCurve& recorded) {
  ZipfSpread nearest{0, 0, 2};
  for (int step = 0; step * kThetaStep <= kMostTheta + 1e-9; ++step) {
    // fio refuses 1 itself.
    const double theta = step * kThetaStep == 1 ? 0.99 : step * kThetaStep;
    const double blocks = blocks_for(theta, requests, distinct_blocks);
    const double gap = largest_gap(expected_curve(zipf_groups(blocks, theta), requests), recorded);
    if (gap < nearest.gap - 1e-3) nearest = {theta, blocks, gap};
  }
  return nearest;
}

std::optional<FioJob> fio_job_of(const WorkloadProfile& profile) {
  const std::optional<Spread> spread = spread_of(profile);
  if (!spread) return std::nullopt;
  return JobWriter{profile}.write(*spread);
}

std::string fio_job_text(const FioJob& job, const std::string& source) {
  std::string text = fmt::format("; closest to {}, by rigel compare\n", source);
  for (const std::string& note : job.notes) text += fmt::format("; {}\n", note);
  text +=
      "[global]\n; the device or file to measure; a job that writes destroys what is on it\n"
      "filename=rigel-fio.data\ndirect=1\nioengine=io_uring\n\n[workload]\n";
  for (const auto& [name, value] : job.settings) text += fmt::format("{}={}\n", name, value);
  return text;
}

std::optional<std::string> orion_options_of(const WorkloadProfile& profile) {
  constexpr double kMost = 0.05;  // that is not as ORION would have it
  const std::optional<Spread> spread = spread_of(profile);
  if (!spread || profile.mean_outstanding < 0.5) return std::nullopt;
  if (profile.of(Figure::kSequential).mean() > kMost) return std::nullopt;
  if (spread->zipf.theta > kMost || spread->zipf.gap > kMost) return std::nullopt;
  std::uint64_t bytes = 0;
  for (const Figure figure : {Figure::kReadBytes, Figure::kWriteBytes}) {
    const BlockedSamples& samples = profile.of(figure);
    if (samples.count() == 0) continue;
    const std::vector<Size> sizes = main_sizes(samples);
    if (sizes.size() > 1 || sizes[0].bytes % 1024 != 0) return std::nullopt;
    if (bytes != 0 && bytes != sizes[0].bytes) return std::nullopt;
    bytes = sizes[0].bytes;
  }
  // ORION asks for a test's name, and versions before 11 for the number of disks, which is of no
  // effect on a point whose loads are given.
  std::string options = fmt::format(
      "-run advanced -testname rigel -num_disks 1 -matrix point -num_small {:.0f} "
      "-num_large 0 -size_small {}",
      std::max(1.0, std::round(profile.mean_outstanding)), bytes / 1024);
  const double write_percent = 100 * static_cast<double>(profile.writes) /
                               static_cast<double>(profile.reads + profile.writes);
  if (std::lround(write_percent) > 0) options += fmt::format(" -write {:.0f}", write_percent);
  return options;
}

}  // namespace rigel
