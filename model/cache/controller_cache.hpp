// A storage array's cache around any policy: what the policies alone leave out.
//
//   Segments: space is allocated and freed in segments (tracks, slots) of several pages, but only
//     the pages that were asked for are in them. The policy manages segments.
//   Writes: through (each goes to the disks at once) or back (dirty until destaged). Destaging
//   takes
//     whole segments, the longest dirty first: when more than the high watermark is dirty, until
//     the low one is reached; after a given age; and whatever the policy evicts. It takes no time
//     here.
//   Read-ahead: pages behind a sequential stream of reads (SequentialDetector) are brought in;
//   those
//     that leave, or are overwritten, without having been read were fetched in vain.
//   Flash: a second cache, of the same policy, behind the first. It gets what the first evicts, and
//     keeps its copy when a page goes back up, to be renewed when it comes down again.
//
// A hit, in the tally, is a page in the first cache. A write needs no page to be read first.
// Memory: some 70 bytes a segment ever touched, and what the policies take.
// One thread at a time; no errors of its own.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/cache/cache_simulator.hpp"
#include "model/cache/dirty_segments.hpp"
#include "model/cache/page_index.hpp"
#include "model/cache/sequential_detector.hpp"

namespace rigel {

inline constexpr std::uint32_t kMostPagesPerSegment = 64;

struct ControllerOptions {
  std::uint32_t pages_per_segment = 1;  // up to kMostPagesPerSegment
  bool write_back = false;
  double dirty_high = 0.5;          // watermarks, as shares of the first cache
  double dirty_low = 0.3;           // at most the high one
  std::int64_t destage_age_ns = 0;  // 0: age does not matter; otherwise blocks need times_ns
  std::uint32_t read_ahead_pages = 0;
  std::uint64_t flash_segments = 0;  // below 2^32 - 1; 0 for no second cache
};

// In pages, after the warm-up.
struct ControllerCounts {
  std::uint64_t disk_reads = 0;       // asked for and in no cache
  std::uint64_t disk_writes = 0;      // written through, or destaged
  std::uint64_t flash_hits = 0;       // reads that the second cache serves
  std::uint64_t dirty_read_hits = 0;  // reads of data that the disks do not have
  std::uint64_t overwrites = 0;       // writes to what is dirty anyway: the disks are spared them
  std::uint64_t destaged_by_age = 0;
  std::uint64_t destaged_by_watermark = 0;
  std::uint64_t destaged_by_eviction = 0;
  std::uint64_t read_ahead = 0;         // fetched from the disks, not among disk_reads
  std::uint64_t read_ahead_used = 0;    // read later
  std::uint64_t read_ahead_wasted = 0;  // evicted or overwritten before
  std::uint64_t dirty_at_end = 0;
  std::uint64_t read_ahead_at_end = 0;  // neither used nor wasted yet

  ControllerCounts& operator-=(const ControllerCounts& other);
};

class ControllerSimulator : public CacheSimulator {
 public:
  [[nodiscard]] virtual ControllerCounts counts() const = 0;
};

template <CachePolicy Policy>
class ControllerCache final : public ControllerSimulator {
 public:
  ControllerCache(std::uint32_t capacity_segments, const ControllerOptions& options)
      : options_{options},
        policy_{capacity_segments},
        flash_{options.flash_segments == 0
                   ? nullptr
                   : std::make_unique<Policy>(static_cast<std::uint32_t>(options.flash_segments))},
        detector_{options.read_ahead_pages},
        most_dirty_{share_of(options.dirty_high, capacity_segments)},
        least_dirty_{share_of(options.dirty_low, capacity_segments)} {}

  void add(const PageBlock& block) override {
    if (block.counted && !counted_) {
      counted_ = true;
      before_ = counts_;
    }
    segment_keys_.clear();
    for (const std::uint64_t page : block.pages) segment_keys_.push_back(segment_of(page));
    index_.number(segment_keys_, segments_);
    grow();
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (options_.destage_age_ns != 0) destage_old(block.times_ns[i]);
      const PageAccess access = block.accesses[i];
      const bool hit = access_page(segments_[i], bit_of(block.pages[i]), access.write());
      if (block.counted) {
        tally_.note(access, hit);
      } else {
        tally_.pass(access, hit);
      }
      note_request(block.pages[i], access);
    }
  }

  [[nodiscard]] ControllerCounts counts() const override {
    ControllerCounts counts = counts_;
    counts -= before_;
    counts.dirty_at_end = dirty_pages_;
    for (const Segment& segment : state_) counts.read_ahead_at_end += count(segment.ahead);
    return counts;
  }

 private:
  // Sets of a segment's pages.
  struct Segment {
    std::uint64_t valid = 0;  // in the first cache
    std::uint64_t dirty = 0;
    std::uint64_t ahead = 0;  // fetched ahead, not read yet
    std::uint64_t flash = 0;  // in the second
  };

  [[nodiscard]] static std::uint64_t count(std::uint64_t set) {
    return static_cast<std::uint64_t>(std::popcount(set));
  }
  [[nodiscard]] std::uint64_t share_of(double share, std::uint32_t segments) const {
    return static_cast<std::uint64_t>(share * segments * options_.pages_per_segment);
  }
  // The device's bits stay where they are, above the page numbers.
  [[nodiscard]] std::uint64_t segment_of(std::uint64_t page) const {
    constexpr std::uint64_t kNumber = (std::uint64_t{1} << kPageNumberBits) - 1;
    return (page & ~kNumber) | ((page & kNumber) / options_.pages_per_segment);
  }
  [[nodiscard]] std::uint64_t bit_of(std::uint64_t page) const {
    constexpr std::uint64_t kNumber = (std::uint64_t{1} << kPageNumberBits) - 1;
    return std::uint64_t{1} << ((page & kNumber) % options_.pages_per_segment);
  }

  void grow() {
    const std::size_t segments = index_.size();
    policy_.grow(segments);
    if (flash_) flash_->grow(segments);
    state_.resize(segments);
    dirty_.grow(segments);
  }

  bool access_page(PageId id, std::uint64_t bit, bool write) {
    // A request is one use of a segment, however many of its pages it touches.
    if (!in_request_ || id != touched_) {
      policy_.access(id, [this](PageId evicted) { leave(evicted); });
      touched_ = id;
    }
    Segment& segment = state_[id];
    const bool hit = (segment.valid & bit) != 0;
    segment.valid |= bit;
    if (write) {
      take_write(id, segment, bit);
    } else {
      take_read(id, segment, bit, hit);
    }
    return hit;
  }
  void take_read(PageId id, Segment& segment, std::uint64_t bit, bool hit) {
    if (hit) {
      counts_.dirty_read_hits += count(segment.dirty & bit);
      counts_.read_ahead_used += count(segment.ahead & bit);
      segment.ahead &= ~bit;
    } else if ((segment.flash & bit) != 0) {
      ++counts_.flash_hits;
      touch_flash(id);
    } else {
      ++counts_.disk_reads;
    }
  }
  void take_write(PageId id, Segment& segment, std::uint64_t bit) {
    counts_.read_ahead_wasted += count(segment.ahead & bit);
    segment.ahead &= ~bit;
    if (!options_.write_back) {
      ++counts_.disk_writes;
      return;
    }
    if ((segment.dirty & bit) != 0) {
      ++counts_.overwrites;
      return;
    }
    if (segment.dirty == 0) dirty_.add(id, now_ns_);
    segment.dirty |= bit;
    if (++dirty_pages_ <= most_dirty_) return;
    while (dirty_pages_ > least_dirty_) counts_.destaged_by_watermark += destage(dirty_.oldest());
  }
  // The pages written to the disks: the segment's dirty ones.
  std::uint64_t destage(PageId id) {
    const std::uint64_t pages = count(state_[id].dirty);
    state_[id].dirty = 0;
    dirty_.remove(id);
    dirty_pages_ -= pages;
    counts_.disk_writes += pages;
    return pages;
  }
  void destage_old(std::int64_t now_ns) {
    now_ns_ = now_ns;
    while (!dirty_.empty() && now_ns - dirty_.oldest_since_ns() >= options_.destage_age_ns) {
      counts_.destaged_by_age += destage(dirty_.oldest());
    }
  }
  // The policy evicts the segment from the first cache.
  void leave(PageId id) {
    Segment& segment = state_[id];
    if (segment.dirty != 0) counts_.destaged_by_eviction += destage(id);
    counts_.read_ahead_wasted += count(segment.ahead);
    if (flash_) {
      touch_flash(id);
      segment.flash |= segment.valid;
    }
    segment.valid = segment.ahead = 0;
  }
  void touch_flash(PageId id) {
    flash_->access(id, [this](PageId evicted) { state_[evicted].flash = 0; });
  }

  // Follows requests from their first page to their last one.
  void note_request(std::uint64_t page, PageAccess access) {
    if (!in_request_) first_page_ = page;
    in_request_ = !access.last();
    if (in_request_ || access.write() || options_.read_ahead_pages == 0) return;
    const SequentialDetector::Pages ahead = detector_.note_read(first_page_, page);
    for (std::uint64_t next = ahead.begin; next < ahead.end; ++next) read_ahead(next);
  }
  void read_ahead(std::uint64_t page) {
    const PageId id = index_.number(segment_of(page));
    grow();
    const std::uint64_t bit = bit_of(page);
    if (((state_[id].valid | state_[id].flash) & bit) != 0) return;
    policy_.access(id, [this](PageId evicted) { leave(evicted); });
    state_[id].valid |= bit;
    state_[id].ahead |= bit;
    ++counts_.read_ahead;
  }

  ControllerOptions options_;
  Policy policy_;
  std::unique_ptr<Policy> flash_;
  SequentialDetector detector_;
  std::uint64_t most_dirty_;  // pages
  std::uint64_t least_dirty_;
  PageIndex index_;  // of segments
  std::vector<std::uint64_t> segment_keys_;
  std::vector<PageId> segments_;  // of the block under way
  std::vector<Segment> state_;
  DirtySegments dirty_;
  std::uint64_t dirty_pages_ = 0;
  std::int64_t now_ns_ = 0;
  bool in_request_ = false;  // between the first page and the last of a request
  PageId touched_ = 0;       // the last segment that it used
  std::uint64_t first_page_ = 0;
  bool counted_ = false;
  ControllerCounts counts_;
  ControllerCounts before_;  // during the warm-up
};

}  // namespace rigel
