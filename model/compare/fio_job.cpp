#include "model/compare/fio_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/compare/heat_zones.hpp"
#include "model/compare/nearest_zipf.hpp"
#include "model/compare/size_split.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr double kClock = 0.03;  // unevenness below this is that of a clock
constexpr std::size_t kMostZones = 8;
constexpr double kSameLaw = 0.05;  // a gap of Lorenz curves

// Zones with a hundredth of the accesses and more, which is what fio can be told; smaller ones go
// with the next that is cooler.
std::string zones_text(const std::vector<HeatZone>& zones, std::uint32_t page_bytes) {
  std::string text;
  double share = 0;
  double pages = 0;
  int percent_before = 0;
  for (const HeatZone& zone : zones) {
    share += zone.share;
    pages += std::max(1.0, std::round(zone.pages));
    const int percent = static_cast<int>(std::lround(100 * share));
    if (percent == percent_before) continue;
    text += fmt::format("{}{}/{:.0f}", text.empty() ? "" : ":", percent - percent_before,
                        pages * page_bytes);
    percent_before = percent;
    pages = 0;
  }
  return text;
}

struct Heat {
  double requests = 0;
  double pages_a_request = 0;
  std::vector<HeatZone> zones;
  ZipfSpread zipf;  // of blocks of the mean request's pages
};

double count_of(const WorkloadProfile& profile, Figure of_reads, Figure of_writes) {
  return profile.of(of_reads).count() + profile.of(of_writes).count();
}

std::optional<Heat> heat_of(const WorkloadProfile& profile) {
  Heat heat;
  heat.requests = count_of(profile, Figure::kReadSequential, Figure::kWriteSequential);
  const double accesses = count_of(profile, Figure::kReadReuse, Figure::kWriteReuse);
  if (heat.requests == 0 || accesses == 0) return std::nullopt;
  heat.pages_a_request = std::max(1.0, accesses / heat.requests);
  heat.zones = heat_zones(profile.page_counts, kMostZones);
  const PageHeatSnapshot& end = profile.places.back().heat;
  heat.zipf =
      nearest_zipf(heat.requests, end.distinct_pages / heat.pages_a_request, end.top_shares);
  return heat;
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
  explicit JobWriter(const WorkloadProfile& profile);
  [[nodiscard]] FioJob write(const Heat& heat);

 private:
  void set(const char* name, std::string value) {
    job_.settings.emplace_back(name, std::move(value));
  }
  void add_mix();
  void add_sizes(const Heat& heat);
  [[nodiscard]] std::uint64_t alignment(double pages_a_request) const;
  [[nodiscard]] double largest_bytes() const;
  [[nodiscard]] double pages_touched(const BlockedSamples& lengths, std::uint64_t align) const;
  void add_places(const Heat& heat);
  void add_times();
  void add_rates(double seconds);
  void add_notes(const Heat& heat);

  const WorkloadProfile& profile_;
  double random_reads_;  // percent
  double random_writes_;
  bool random_;
  FioJob job_;
};

// Of one direction that has no request: as of the other.
JobWriter::JobWriter(const WorkloadProfile& profile)
    : profile_{profile},
      random_reads_{
          100 *
          (1 - profile.of(profile.reads > 0 ? Figure::kReadSequential : Figure::kWriteSequential)
                   .mean())},
      random_writes_{
          100 *
          (1 - profile.of(profile.writes > 0 ? Figure::kWriteSequential : Figure::kReadSequential)
                   .mean())},
      random_{std::max(random_reads_, random_writes_) >= 1} {}

void JobWriter::add_mix() {
  const auto both = static_cast<double>(profile_.reads + profile_.writes);
  const char* const kind = profile_.writes == 0  ? (random_ ? "randread" : "read")
                           : profile_.reads == 0 ? (random_ ? "randwrite" : "write")
                                                 : (random_ ? "randrw" : "rw");
  set("rw", kind);
  if (profile_.reads != 0 && profile_.writes != 0) {
    set("rwmixread", fmt::format("{:.0f}", 100 * static_cast<double>(profile_.reads) / both));
  }
}

void JobWriter::add_sizes(const Heat& heat) {
  const BlockedSamples& reads = profile_.of(Figure::kReadBytes);
  const BlockedSamples& writes = profile_.of(Figure::kWriteBytes);
  const std::string of_reads = bssplit_text(size_split(reads.count() > 0 ? reads : writes));
  const std::string of_writes = bssplit_text(size_split(writes.count() > 0 ? writes : reads));
  set("bssplit", of_reads == of_writes ? of_reads : of_reads + "," + of_writes);
  set("blockalign", fmt::format("{}", alignment(heat.pages_a_request)));
}

// Of where requests begin: as large as what is most frequent allows, or else the one by which they
// touch as many pages as recorded.
std::uint64_t JobWriter::alignment(double pages_a_request) const {
  const BlockedSamples& reads = profile_.of(Figure::kReadBytes);
  const BlockedSamples& writes = profile_.of(Figure::kWriteBytes);
  const std::uint64_t main =
      main_size(size_split(reads.count() >= writes.count() ? reads : writes)).bytes;
  std::uint64_t nearest = 0;
  double nearest_gap = HUGE_VAL;
  for (std::uint64_t align = main & (~main + 1); align >= 512; align /= 2) {
    const double pages = (pages_touched(reads, align) + pages_touched(writes, align)) /
                         (reads.count() + writes.count());
    const double gap = std::abs(pages - pages_a_request);
    if (gap < nearest_gap - 0.01) {
      nearest = align;
      nearest_gap = gap;
    }
  }
  return nearest;
}

double JobWriter::largest_bytes() const {
  std::uint64_t largest = 0;
  for (const Figure figure : {Figure::kReadBytes, Figure::kWriteBytes}) {
    const std::vector<SizeShare> sizes = size_split(profile_.of(figure));
    if (!sizes.empty()) largest = std::max(largest, sizes.back().bytes);
  }
  return static_cast<double>(largest);
}

// By requests of these lengths that begin anywhere at multiples of `align`, on average.
double JobWriter::pages_touched(const BlockedSamples& lengths, std::uint64_t align) const {
  const auto page = static_cast<double>(profile_.page_bytes);
  const auto step = static_cast<double>(align);
  const std::vector<double> histogram = lengths.histogram();
  double pages = 0;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin) {
    const auto length = static_cast<double>(log_bins::low_of(bin));
    pages += histogram[bin] *
             (step >= page ? std::ceil(length / page) : 1 + (std::max(length, step) - step) / page);
  }
  return pages;
}

void JobWriter::add_places(const Heat& heat) {
  const double page = profile_.page_bytes;
  const bool zoned = random_ && heat.zones.size() > 1;
  double pages = 0;
  for (const HeatZone& zone : heat.zones) pages += std::max(1.0, std::round(zone.pages));
  // Pages that were all touched once could be of any number; not of more than there are.
  if (!random_) pages = profile_.places.back().heat.distinct_pages;
  if (!zoned) pages = std::min(pages, std::ceil(static_cast<double>(profile_.span_bytes) / page));
  // fio ends a job that draws a place in a zone from which a request goes beyond the end.
  const double bytes =
      zoned ? pages * page + largest_bytes() : std::max(pages * page, largest_bytes());
  set("size", fmt::format("{:.0f}", std::min(bytes, 0x1p62)));
  if (!random_) return;
  set("random_distribution",
      zoned ? "zoned_abs:" + zones_text(heat.zones, profile_.page_bytes) : "random");
  const auto random_reads = std::lround(random_reads_);
  const auto random_writes = std::lround(random_writes_);
  if (random_reads != random_writes) {
    set("percentage_random", fmt::format("{},{}", random_reads, random_writes));
  } else if (random_reads < 100) {
    set("percentage_random", fmt::format("{}", random_reads));
  }
  set("norandommap", "1");
  set("randrepeat", "0");
}

// fio's rates are whole numbers: slower ones are a pause after each I/O.
void JobWriter::add_rates(double seconds) {
  constexpr double kLeastRate = 5;  // below, rounding would change it by a tenth
  const double reads = static_cast<double>(profile_.reads) / seconds;
  const double writes = static_cast<double>(profile_.writes) / seconds;
  const auto usable = [](double rate) { return rate == 0 || rate >= kLeastRate; };
  if (!usable(reads) || !usable(writes)) {
    set("thinktime", fmt::format("{:.0f}", std::min(1e6 / (reads + writes), 4e9)));
    set("iodepth", "1");
    job_.notes.emplace_back("so few I/Os a second are one after the other, a pause between them");
    return;
  }
  if (reads == 0 || writes == 0) {
    set("rate_iops", fmt::format("{:.0f}", reads + writes));
  } else {
    set("rate_iops", fmt::format("{:.0f},{:.0f}", reads, writes));
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
  set("iodepth", depth > 0 ? fmt::format("{:.0f}", depth) : "64");
  if (depth == 0) job_.notes.emplace_back("the trace has no completions: iodepth is a guess");
}

void JobWriter::add_times() {
  if (profile_.duration_ns <= 0) {
    job_.notes.emplace_back("the trace has no times: set iodepth, or rate_iops, yourself");
    return;
  }
  const double seconds = static_cast<double>(profile_.duration_ns) * 1e-9;
  add_rates(seconds);
  set("time_based", "1");
  set("runtime", fmt::format("{:.0f}", std::max(1.0, std::ceil(seconds))));
}

void JobWriter::add_notes(const Heat& heat) {
  constexpr double kApart = 0.1;
  if (heat.zones.size() > 1 && heat.zipf.gap < kSameLaw && heat.zipf.theta > 0) {
    job_.notes.push_back(fmt::format(
        "the zones are much like Zipf's law with exponent {:.2f}; fio's own zipf:{:.2f} leaves "
        "out blocks, as it scatters ranks by a hash",
        heat.zipf.theta, heat.zipf.theta));
  }
  if (random_) {
    job_.notes.emplace_back(
        "places are drawn one by one: blocks used again soon, phases and order are lost; replay "
        "the trace for those");
  }
  const BlockedSamples& reads = profile_.of(Figure::kReadReuse);
  const BlockedSamples& writes = profile_.of(Figure::kWriteReuse);
  if (reads.count() > 0 && writes.count() > 0) {
    const double again = 1 - reads.infinite() / reads.count();
    const double rewritten = 1 - writes.infinite() / writes.count();
    if (std::abs(again - rewritten) > kApart) {
      job_.notes.push_back(
          fmt::format("{} of page reads are of pages touched before, {} of page writes: a job's "
                      "reads and writes share their zones, so here both are in between",
                      format_percent(again), format_percent(rewritten)));
    }
  }
  if (profile_.align_bytes % 512 != 0) {
    job_.notes.emplace_back("lengths are rounded to whole sectors");
  }
  if (profile_.records > profile_.reads + profile_.writes) {
    job_.notes.push_back(
        fmt::format("{} flushes, discards and the like are left out",
                    format_count(profile_.records - profile_.reads - profile_.writes)));
  }
}

FioJob JobWriter::write(const Heat& heat) {
  add_mix();
  add_sizes(heat);
  add_places(heat);
  add_times();
  add_notes(heat);
  return std::move(job_);
}

}  // namespace

std::optional<FioJob> fio_job_of(const WorkloadProfile& profile) {
  const std::optional<Heat> heat = heat_of(profile);
  if (!heat) return std::nullopt;
  return JobWriter{profile}.write(*heat);
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
  constexpr int kNearlyAll = 98;  // percent
  const std::optional<Heat> heat = heat_of(profile);
  if (!heat || profile.mean_outstanding < 0.5) return std::nullopt;
  const auto sequential = [&](Figure figure) { return profile.of(figure).mean() > kSameLaw; };
  if (sequential(Figure::kReadSequential) || sequential(Figure::kWriteSequential)) {
    return std::nullopt;
  }
  if (heat->zipf.theta > kSameLaw || heat->zipf.gap > kSameLaw) return std::nullopt;
  std::uint64_t bytes = 0;
  for (const Figure figure : {Figure::kReadBytes, Figure::kWriteBytes}) {
    if (profile.of(figure).count() == 0) continue;
    const SizeShare main = main_size(size_split(profile.of(figure)));
    if (main.percent < kNearlyAll || main.bytes % 1024 != 0) return std::nullopt;
    if (bytes != 0 && bytes != main.bytes) return std::nullopt;
    bytes = main.bytes;
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
