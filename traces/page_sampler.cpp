#include "traces/page_sampler.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <cmath>
#include <vector>

#include "traces/error.hpp"
#include "traces/page_pieces.hpp"
#include "traces/record_mapper.hpp"

namespace rigel {
namespace {

class PageSampler final : public RecordMapper {
 public:
  PageSampler(std::unique_ptr<TraceSource> source, double rate, std::uint64_t page_bytes)
      : RecordMapper{std::move(source)},
        threshold_{static_cast<std::uint64_t>(std::ldexp(rate, 64))},
        page_bytes_{page_bytes},
        note_{fmt::format("{} of the pages of {} bytes", rate, page_bytes)} {}

 private:
  void update_tables(const TraceTables& theirs, TraceTables& mine) override {
    mine.meta = theirs.meta;
    mine.meta.extra["sample"] = note_;
    follower_.follow(theirs, mine, [](const auto&) { return true; });
    for (std::size_t i = seeds_.size(); i < mine.devices.size(); ++i) {
      const std::string& name = mine.devices[i].name;
      seeds_.push_back(XXH3_64bits(name.data(), name.size()));
    }
  }

  void map(const IoRecord& record, RecordBatch& output) override {
    const std::uint64_t seed = record.device < seeds_.size() ? seeds_[record.device] : 0;
    const auto sampled = [&](std::uint64_t page) {
      return XXH3_64bits_withSeed(&page, sizeof page, seed) < threshold_;
    };
    const PageRange all = pages_of(record.offset_bytes, record.length_bytes, page_bytes_);
    for (std::uint64_t page = all.first; page < all.end; ++page) {
      if (!sampled(page)) continue;
      PageRange run{page, page + 1};
      while (run.end < all.end && sampled(run.end)) ++run.end;
      output.append(piece_of(record, run, page_bytes_));
      page = run.end;  // not sampled, or past the last
    }
  }

  std::uint64_t threshold_;
  std::uint64_t page_bytes_;
  std::string note_;
  std::vector<std::uint64_t> seeds_;  // by device
  TableFollower follower_;
};

}  // namespace

std::unique_ptr<TraceSource> sample_pages(std::unique_ptr<TraceSource> source, double rate,
                                          std::uint64_t page_bytes) {
  if (!(rate > 0 && rate <= 1)) {
    throw UsageError{fmt::format("a sampling rate of {} is not within 0 and 1", rate)};
  }
  if (page_bytes == 0) throw UsageError{"a page of 0 bytes makes no sense"};
  if (rate == 1) return source;
  return std::make_unique<PageSampler>(std::move(source), rate, page_bytes);
}

}  // namespace rigel
