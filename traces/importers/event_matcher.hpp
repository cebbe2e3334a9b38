// Makes one record of the events that the kernel's block layer traces for one I/O: queued (a bio
// enters), issued (a request, which may be several merged bios or a piece of one, goes to the
// driver), completed. Used by every format that lists such events: blktrace's binary and text, and
// the trace points as perf and ftrace print them.
//
// An issue takes the bios whose range it covers; a completion takes the issued request that begins
// where it says. A device that was never seen to issue is a bio-based one (dm, md): its bios
// complete themselves. Memory is bounded: of kMostOutstanding I/Os that wait for their next event
// the older half is given up and comes out incomplete. Not thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "traces/importers/start_order.hpp"
#include "traces/record_batch.hpp"

namespace rigel {

struct BlockEvent {
  enum class Kind : std::uint8_t {
    kQueue,
    kIssue,
    kRequeue,      // the driver gave it back: it will be issued again
    kComplete,     // of a request, or of a bio where the trace does not tell them apart
    kBioComplete,  // of a bio; on a request-based device the request's is the one that counts
  };
  std::int64_t time_ns = 0;
  std::uint64_t offset_bytes = 0;
  std::uint32_t length_bytes = 0;
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint32_t flags = 0;
  std::int32_t status = 0;
  std::uint16_t cpu = kNoCpu;
  IoOp op = IoOp::kRead;
  Kind kind = Kind::kQueue;
};

class EventMatcher {
 public:
  static constexpr std::size_t kMostOutstanding = 65536;

  void add(const BlockEvent& event);
  // No more events: what is outstanding comes out incomplete, flagged kInFlightAtStop.
  void finish();

  // Finished records, by start; false when more events are needed (or after the last).
  bool take(IoRecord& record);

  // The time columns that the events seen so far can fill.
  [[nodiscard]] ColumnSet time_columns() const { return time_columns_; }
  [[nodiscard]] std::uint64_t without_completion() const { return without_completion_; }
  [[nodiscard]] std::uint64_t without_start() const { return without_start_; }

 private:
  struct Issued {
    IoRecord record;
    std::uint32_t remaining_bytes;  // drivers may complete a request piece by piece
  };
  struct Device {
    // By offset; equal ones in order of arrival. An Issued is found by where its rest begins.
    std::multimap<std::uint64_t, IoRecord> queued;
    std::multimap<std::uint64_t, Issued> issued;
    bool issues = false;
  };

  void issue(Device& device, const BlockEvent& event);
  void complete(Device& device, const BlockEvent& event);
  bool reissue(Device& device, const BlockEvent& event);
  bool complete_bio(Device& device, const BlockEvent& event);
  // Takes what [event) covers from the queued bios into `record`.
  void take_bios(Device& device, const BlockEvent& event, IoRecord& record);
  void give_up_older_half();
  void give_up(IoRecord record);

  std::unordered_map<std::uint32_t, Device> devices_;
  StartOrder out_;
  ColumnSet time_columns_;
  std::size_t outstanding_ = 0;
  std::uint64_t without_completion_ = 0;
  std::uint64_t without_start_ = 0;
  bool finished_ = false;
};

}  // namespace rigel
