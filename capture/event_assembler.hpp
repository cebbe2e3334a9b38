// Events of the kernel side into I/O records: times on the trace's clock, offsets on the device or
// partition, operation and flags in rigel's words, indices into the tables of devices and streams;
// and the records in order.
// Events come when I/Os complete, records are ordered by when they began. So records wait here
// until nothing that is still under way can have begun earlier (`release` is told), or until too
// many wait, which an I/O that hangs would otherwise cause: then the older half goes, and what
// comes late is out of order (counted).
// Pure: no system calls but those of the HostNames given. One thread. Throws only from HostNames.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/block_devices.hpp"
#include "capture/block_trace.h"
#include "capture/kernel_flavour.hpp"
#include "traces/record_batch.hpp"
#include "traces/trace_tables.hpp"

namespace rigel {

// Who and what the numbers in an event are. Asked once for each device and each task.
class HostNames {
 public:
  virtual ~HostNames() = default;
  virtual BlockDevice device(std::uint32_t number) = 0;
  virtual StreamInfo stream(std::uint32_t tgid, std::uint32_t tid, const std::string& comm,
                            std::uint64_t cgroup) = 0;
};

class EventAssembler {
 public:
  struct Options {
    std::uint64_t start_ns = 0;  // CLOCK_MONOTONIC of the trace's time 0
    KernelFlavour flavour;
    std::size_t most_waiting = 131072;
  };
  // `tables` gets the devices and streams; both must outlive the assembler.
  EventAssembler(Options options, HostNames& names, TraceTables& tables);

  void add(std::span<const block_event> events);
  // Hands out, in order, the records that began before `watermark_ns` (CLOCK_MONOTONIC).
  void release(std::uint64_t watermark_ns, RecordBatch& batch);
  void release_all(RecordBatch& batch);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] bool is_full() const { return waiting_.size() >= options_.most_waiting; }
  // Records handed out after one that began later.
  [[nodiscard]] std::uint64_t out_of_order() const { return out_of_order_; }

 private:
  struct StreamKey {
    std::array<std::uint64_t, 2> comm;
    std::uint64_t cgroup;
    std::uint32_t tgid;
    std::uint32_t tid;
    friend bool operator==(const StreamKey&, const StreamKey&) = default;
  };
  struct StreamHash {
    std::size_t operator()(const StreamKey& key) const;
  };
  struct KnownDevice {
    std::uint32_t index;
    bool is_request_based;
    std::uint64_t start_bytes;
  };

  [[nodiscard]] IoRecord record_of(const block_event& event);
  [[nodiscard]] const KnownDevice& device_of(std::uint32_t number);
  [[nodiscard]] std::uint32_t stream_of(const block_event& event);
  [[nodiscard]] IoOp op_of(const block_event& event) const;
  [[nodiscard]] std::uint32_t flags_of(const block_event& event, bool is_request_based) const;
  [[nodiscard]] std::int32_t status_of(const block_event& event) const;
  [[nodiscard]] std::int64_t time_of(std::uint64_t monotonic) const;
  void hand_out(std::size_t count, RecordBatch& batch);

  Options options_;
  HostNames& names_;
  TraceTables& tables_;
  std::vector<IoRecord> waiting_;
  std::unordered_map<std::uint32_t, KnownDevice> devices_;
  std::unordered_map<StreamKey, std::uint32_t, StreamHash> streams_;
  std::int64_t last_start_ns_;
  std::uint64_t out_of_order_ = 0;
};

// errno of a blk_status_t, as block/blk-core.c's blk_errors[] has them; EIO for one unknown.
[[nodiscard]] std::int32_t errno_of_blk_status(std::uint8_t status);

}  // namespace rigel
