// One array, simulated I/O by I/O: link, controller, cache, disks. The simulator has no clock of
// its own: the caller submits I/Os at times that do not go back and takes completions in order of
// time, in virtual time (simulation.hpp) or in real time (virtual_lun.hpp).
//
//   link in -> controller cores -> cache -> (hit: hit time | miss: disks) -> link out
//
// Each I/O takes the link's latency once, half on the way in and half on the way out. A page counts
// as cached from the moment its read begins. With write-back a write is done when it is in the
// cache, and is destaged behind the host's back by as many writers as there are disks; when only
// dirty pages are left to evict, the I/O that needs the room waits for the disk.
// One thread. submit() throws UsageError for an I/O of no length; nothing else throws but
// std::bad_alloc.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "model/array/array_config.hpp"
#include "model/array/disk_bank.hpp"
#include "model/array/event_heap.hpp"
#include "model/array/raid_layout.hpp"
#include "model/array/resident_set.hpp"

namespace rigel {

struct ArrayIo {
  std::uint64_t offset_bytes = 0;
  std::uint32_t length_bytes = 0;
  bool write = false;
};

struct ArrayCompletion {
  std::int64_t start_ns = 0;
  std::int64_t finish_ns = 0;
  std::uint32_t length_bytes = 0;
  std::uint32_t tag = 0;
  bool write = false;
  bool hit = false;  // a read answered by the cache alone, or a write that took no disk's time
};

// What has passed since the beginning. Times of service are counted when service begins.
struct ArrayCounters {
  std::uint64_t reads = 0;
  std::uint64_t read_hits = 0;  // all pages were there
  std::uint64_t writes = 0;
  std::uint64_t write_hits = 0;
  std::uint64_t disk_ios = 0;
  std::uint64_t destaged_pages = 0;
  double link_in_busy_ns = 0;
  double link_out_busy_ns = 0;
  double controller_busy_ns = 0;  // of all cores together
};

class ArraySimulator {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  // Throws UsageError when the configuration makes no sense (validate()).
  ArraySimulator(const ArrayConfig& config, std::uint64_t seed);

  // In virtual time `now_ns` is at least the time of all that was submitted or completed before. A
  // front in real time, which hears of an I/O a moment after it came, may be that moment late: the
  // I/O counts as having come then, and finds the array as it is now.
  void submit(std::int64_t now_ns, const ArrayIo& io, std::uint32_t tag);
  // When the next thing happens inside; kNever when the array is idle.
  [[nodiscard]] std::int64_t next_ns() const {
    return events_.empty() ? kNever : events_.first().time_ns;
  }
  // Whether that is an I/O being done; otherwise it is of the array's own concern.
  [[nodiscard]] bool next_completes() const;
  // Lets time pass until an I/O is done, at most to `until_ns` inclusive; false when none was.
  bool next_completion(std::int64_t until_ns, ArrayCompletion& completion);

  // Passes an I/O through the cache alone, in no time and uncounted: warms it up. True for a hit.
  bool warm(const ArrayIo& io);

  [[nodiscard]] const ArrayCounters& counters() const { return counters_; }
  [[nodiscard]] double disk_busy_ns(std::uint32_t disk) const { return disks_.busy_ns(disk); }
  [[nodiscard]] const ArrayConfig& config() const { return config_; }
  [[nodiscard]] const ResidentSet& cache() const { return cache_; }

 private:
  enum class Step : std::uint32_t { kLookup, kDiskDone, kArmDone, kDataReady, kComplete };
  static constexpr unsigned kStepBits = 3;

  // An I/O on its way, or a destage (background).
  struct Request {
    ArrayIo io;
    std::int64_t start_ns = 0;
    std::uint32_t tag = 0;
    std::uint32_t pending = 0;  // disk I/Os
    bool background = false;
    bool hit = false;
    std::vector<DiskIo> second;  // disk I/Os that follow when the pending ones are done
  };

  void at(std::int64_t time_ns, Step step, std::uint32_t index);
  [[nodiscard]] std::uint32_t new_request();
  [[nodiscard]] std::int64_t through_controller(std::int64_t arrival_ns);
  void look_up(std::int64_t now_ns, std::uint32_t slot);
  void look_up_read(std::int64_t now_ns, std::uint32_t slot);
  void look_up_write(std::int64_t now_ns, std::uint32_t slot);
  void add_page(std::uint64_t page, bool dirty, DiskWrite& evictions);
  void hit(std::int64_t now_ns, std::uint32_t slot);
  void issue(std::int64_t now_ns, const std::vector<DiskIo>& ios, std::uint32_t slot);
  void disk_done(std::int64_t now_ns, std::uint32_t slot);
  void data_ready(std::int64_t now_ns, std::uint32_t slot);
  void destage(std::int64_t now_ns);

  ArrayConfig config_;
  RaidLayout layout_;
  DiskBank disks_;
  ResidentSet cache_;
  EventHeap events_;
  std::vector<Request> requests_;
  std::vector<std::uint32_t> free_;
  std::vector<std::int64_t> core_free_ns_;  // a heap, the earliest first
  std::int64_t link_in_free_ns_ = 0;
  std::int64_t link_out_free_ns_ = 0;
  std::deque<std::uint64_t> dirty_queue_;  // pages in the order in which they became dirty
  unsigned destages_ = 0;                  // under way
  std::uint64_t turn_ = 0;                 // among mirrors
  std::vector<DiskIo> reads_;              // scratch
  std::mt19937_64 random_;
  ArrayCounters counters_;
};

}  // namespace rigel
