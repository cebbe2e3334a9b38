// One block I/O as rigel knows it, whatever recorded it. This is the vocabulary every part speaks.
// Plain data; nothing here throws.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace rigel {

// Values are part of the .rgt format; append, never renumber.
enum class IoOp : std::uint8_t {
  kRead = 0,
  kWrite = 1,
  kFlush = 2,  // cache flush without data
  kDiscard = 3,
  kWriteZeroes = 4,
  kOther = 5,  // passthrough, zone management, anything else that moves no user data
};
inline constexpr std::uint8_t kIoOpCount = 6;

// "read", "write", "flush", "discard", "write-zeroes", "other"
[[nodiscard]] std::string_view op_name(IoOp op);

// Bits of IoRecord::flags. Values are part of the .rgt format; append, never renumber.
// The first group is the request's own (REQ_* of the kernel's blk_types.h), the second says how
// the recorder saw it.
namespace io_flag {
inline constexpr std::uint32_t kSync = 1U << 0;
inline constexpr std::uint32_t kFua = 1U << 1;
inline constexpr std::uint32_t kPreflush = 1U << 2;
inline constexpr std::uint32_t kMeta = 1U << 3;
inline constexpr std::uint32_t kReadahead = 1U << 4;
inline constexpr std::uint32_t kBackground = 1U << 5;
inline constexpr std::uint32_t kNowait = 1U << 6;
inline constexpr std::uint32_t kIdle = 1U << 7;
inline constexpr std::uint32_t kPriority = 1U << 8;
inline constexpr std::uint32_t kSwap = 1U << 9;
inline constexpr std::uint32_t kPolled = 1U << 10;
inline constexpr std::uint32_t kPassthrough = 1U << 11;

inline constexpr std::uint32_t kBioLayer = 1U << 16;         // device issues no requests
inline constexpr std::uint32_t kMerged = 1U << 17;           // several bios went out as one
inline constexpr std::uint32_t kSplit = 1U << 18;            // a piece of a larger bio
inline constexpr std::uint32_t kRequeued = 1U << 19;         // issued more than once
inline constexpr std::uint32_t kWriteback = 1U << 20;        // buffered write, from a flusher
inline constexpr std::uint32_t kInFlightAtStart = 1U << 21;  // began before the recording
inline constexpr std::uint32_t kInFlightAtStop = 1U << 22;   // not complete when it ended
inline constexpr std::uint32_t kEndUnseen = 1U << 23;        // when and how it ended is not known
}  // namespace io_flag

inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();
inline constexpr std::uint16_t kNoCpu = 0xffff;

// Times are nanoseconds since the trace's start (TraceMeta::start_wall_ns), on a clock that does
// not step; an I/O in flight at the start may have negative ones; kNoTime where one is not known.
struct IoRecord {
  std::int64_t queue_ns = kNoTime;     // handed to the block layer (or: arrival, as imported)
  std::int64_t issue_ns = kNoTime;     // sent to the device
  std::int64_t complete_ns = kNoTime;  // answered by the device
  std::uint64_t offset_bytes = 0;      // on the device that `device` names
  std::uint32_t length_bytes = 0;      // 32 bits as in the kernel's bio
  std::uint32_t device = 0;            // index into TraceTables::devices
  std::uint32_t stream = 0;            // index into TraceTables::streams: who submitted it
  std::uint32_t flags = 0;             // io_flag bits
  std::int32_t status = 0;             // 0, or the positive errno it ended with
  std::uint16_t cpu = kNoCpu;          // where it was submitted
  IoOp op = IoOp::kRead;

  // When the I/O entered the picture: the earliest time known. Traces are ordered by it.
  [[nodiscard]] std::int64_t start_ns() const {
    return queue_ns != kNoTime ? queue_ns : issue_ns != kNoTime ? issue_ns : complete_ns;
  }
  friend bool operator==(const IoRecord&, const IoRecord&) = default;
};

}  // namespace rigel
