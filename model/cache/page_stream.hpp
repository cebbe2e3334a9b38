// A trace as a cache sees it: every read and write cut into cache pages, in order, in blocks.
// Flushes, discards, write-zeroes and requests of no length touch no page and are passed over.
// A request that spans n pages is n accesses; the last one is marked, so that consumers can also
// judge the request as a whole. Devices that are parts of one (AddressSpaces) share its pages;
// groups tell them apart. A page is named by (device, page number) packed into 64 bits:
// 16 bits of device, 48 of page; what does not fit is refused with an Error.
// The stream borrows its source; one thread. Blocks are plain data owned by the caller.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "model/cache/address_spaces.hpp"
#include "model/cache/page_id.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

inline constexpr std::uint32_t kMinPageBytes = 512;
inline constexpr std::uint32_t kMaxPageBytes = 1U << 29;
inline constexpr unsigned kPageNumberBits = 48;
inline constexpr std::uint32_t kMaxDevices = 1U << 16;

// What an access is besides its page, in 32 bits: bytes of the page that the request covers,
// whether it writes, whether it is its request's last page.
class PageAccess {
 public:
  constexpr PageAccess() = default;
  constexpr PageAccess(std::uint32_t bytes, bool write, bool last)
      : bits_{bytes << 2 | (last ? 2U : 0U) | (write ? 1U : 0U)} {}
  [[nodiscard]] constexpr std::uint32_t bytes() const { return bits_ >> 2; }
  [[nodiscard]] constexpr bool write() const { return (bits_ & 1U) != 0; }
  [[nodiscard]] constexpr bool last() const { return (bits_ & 2U) != 0; }

 private:
  std::uint32_t bits_ = 0;
};

struct PageBlock {
  std::vector<std::uint64_t> pages;    // which page
  std::vector<PageAccess> accesses;    // what is done to it
  std::vector<std::uint32_t> groups;   // device or stream of each; empty unless asked for
  std::vector<std::int64_t> times_ns;  // since the first request; empty unless asked for
  std::vector<PageId> ids;             // the pages' numbers, by PageIndex::number
  std::size_t page_count = 0;          // every id is below this
  bool counted = true;                 // false while the cache warms up
  std::uint64_t window = 0;            // number of the time window; 0 unless asked for

  [[nodiscard]] std::size_t size() const { return pages.size(); }
};

enum class GroupBy : std::uint8_t { kNothing, kDevice, kStream };

struct PageStreamOptions {
  std::uint32_t page_bytes = 8192;  // any multiple of 512 up to 512 MiB
  std::size_t block_accesses = 8192;
  GroupBy group_by = GroupBy::kNothing;
  std::uint64_t warm_up_requests = 0;  // not counted: these many requests,
  std::int64_t warm_up_ns = 0;         // and all that start before this time
  std::int64_t window_ns = 0;          // length of a time window; 0 for none
  bool with_times = false;             // PageBlock::times_ns
  std::string trace_name = "trace";    // for messages
};

class PageStream {
 public:
  // The columns a stream of these options decodes; open the source with them.
  [[nodiscard]] static ColumnSet columns(const PageStreamOptions& options);

  // Throws UsageError for a page size that is not allowed.
  PageStream(TraceSource& source, PageStreamOptions options);

  // Replaces the block with the next accesses; false at the end. Throws Error naming the record for
  // one that has no place or, where it is needed, no time, and what the source throws. A block
  // never straddles the end of the warm-up or a window's edge.
  [[nodiscard]] bool next(PageBlock& block);

  // Of the trace up to here: reads and writes, and those of them that warmed the cache up.
  [[nodiscard]] std::uint64_t requests() const { return requests_; }
  [[nodiscard]] std::uint64_t warm_up_requests() const { return warm_up_requests_; }
  // From the first request's start to the last one's; 0 when times were not asked for.
  [[nodiscard]] std::int64_t duration_ns() const { return last_ns_ - first_ns_; }

 private:
  [[nodiscard]] bool next_record();
  [[nodiscard]] bool simple_requests_possible(const PageBlock& block) const;
  void take_simple_requests(PageBlock& block);
  [[nodiscard]] bool begin_request(PageBlock& block);
  void locate_request(AddressSpaces::Place place);
  void note_time(const RecordBatch& batch);
  void emit_pages(PageBlock& block);
  [[nodiscard]] std::uint64_t page_of(std::uint64_t offset_bytes) const {
    return shift_ != 0 ? offset_bytes >> shift_ : offset_bytes / options_.page_bytes;
  }
  [[noreturn]] void refuse(const std::string& what) const;

  TraceSource& source_;
  PageStreamOptions options_;
  unsigned shift_ = 0;  // of a page size that is a power of two
  bool timed_ = false;
  RecordBatch batch_;
  std::size_t row_ = 0;
  std::uint64_t record_ = 0;  // since the trace's begin, for messages
  AddressSpaces spaces_;
  std::uint64_t requests_ = 0;
  std::uint64_t warm_up_requests_ = 0;
  std::int64_t first_ns_ = kNoTime;
  std::int64_t last_ns_ = kNoTime;
  std::uint64_t window_ = 0;
  bool counted_ = true;
  // The request under way: its pages that are still to be handed out.
  bool pending_ = false;
  bool write_ = false;
  std::uint32_t group_ = 0;
  std::int64_t time_ns_ = 0;
  std::uint64_t device_bits_ = 0;
  std::uint64_t page_ = 0;
  std::uint64_t last_page_ = 0;
  std::uint64_t begin_bytes_ = 0;
  std::uint64_t end_bytes_ = 0;  // of its last byte, inclusive
};

}  // namespace rigel
