// One I/O that is to be issued: what, where and when. Made by a RecordSource, carried by an
// IoQueue, issued by an Issuer. Plain data.
#pragma once

#include <cstdint>

#include "traces/io_record.hpp"

namespace rigel {

enum class ReplayTiming : std::uint8_t {
  kOriginal,   // open loop: an I/O is due at its time, whatever became of those before it
  kDependent,  // each stream at its own pace: see StreamScheduler
  kFlatOut,    // closed loop: times do not matter
};

struct PlannedIo {
  // Intended issue time since the replay's start; kDependent: the think time before it.
  std::int64_t due_ns = 0;
  std::uint64_t offset_bytes = 0;  // on the target
  std::uint32_t length_bytes = 0;
  std::uint32_t stream = 0;               // who issued it: an index of the source's own
  std::uint32_t recorded_service_ns = 0;  // issue to completion when recorded; 0 when unknown
  std::uint32_t flags = 0;                // io_flag bits
  std::uint16_t target = 0;               // index into ReplayOptions::targets
  std::uint16_t cell = 0;                 // of LatencyTable, set by the replayer
  std::uint8_t role = 0;                  // index into RecordSource::roles()
  std::uint8_t level = 0;                 // of RatePlan
  IoOp op = IoOp::kRead;
  bool overlapped_before = false;  // as StreamDependence::Answer says; kDependent only
  std::uint64_t overlapped = 0;
};

}  // namespace rigel
