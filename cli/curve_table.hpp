// The miss-ratio curve of what is being recorded, on standard output every interval and at the end:
// what LRU caches of several sizes would have hit of the I/O since the recording began, with the
// 95 % interval. By sampling with a bounded number of pages (model/cache/live_curve.hpp), about 6
// MB.
//
// Where records come for other purposes too, the sample is taken out of them (RecordedCurve); else
// the kernel side takes it and sends nothing more (KernelCurve).
// All throw Error when standard output cannot be written, ReaderGone when it is closed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/block_devices.hpp"
#include "capture/recorder.hpp"
#include "capture/recording_sink.hpp"
#include "model/cache/address_spaces.hpp"
#include "model/cache/live_curve.hpp"

namespace rigel {

class CurveTable {
 public:
  // `page_bytes` as LiveCurveOptions has it.
  CurveTable(std::int64_t interval_ns, std::uint32_t page_bytes);

  LiveCurve& curve() { return curve_; }
  [[nodiscard]] const LiveCurve& curve() const { return curve_; }
  // When an interval is over; `total` is of all I/O until now.
  void tick(std::int64_t now_ns, const AccessCounts& total);
  void print(const AccessCounts& total);
  // As printed: cache sizes in powers of four up to what holds everything; empty before any access.
  [[nodiscard]] std::string text(const AccessCounts& total);

 private:
  std::int64_t interval_ns_;
  std::int64_t printed_ns_ = 0;
  std::uint32_t page_bytes_;
  LiveCurve curve_;
};

class RecordedCurve final : public RecordingSink {
 public:
  RecordedCurve(std::int64_t interval_ns, std::uint32_t page_bytes)
      : page_bytes_{page_bytes}, table_{interval_ns, page_bytes} {}

  void write(const RecordBatch& batch, const TraceTables& tables) override;
  void tick(std::int64_t now_ns, const TraceTables&) override { table_.tick(now_ns, total_); }
  void finish(const TraceTables&) override { table_.print(total_); }

 private:
  std::uint32_t page_bytes_;
  CurveTable table_;
  AddressSpaces spaces_;
  AccessCounts total_;
};

class KernelCurve final : public PageSampleSink {
 public:
  KernelCurve(std::int64_t interval_ns, std::uint32_t page_bytes)
      : table_{interval_ns, page_bytes} {}

  void add(const SampledIo& io) override {
    table_.curve().add(io.space, io.offset_bytes, io.length_bytes, io.is_write);
  }
  [[nodiscard]] std::uint64_t threshold() const override { return table_.curve().threshold(); }
  void tick(std::int64_t now_ns, const page_accesses& all) override;
  void finish(const page_accesses& all);

 private:
  CurveTable table_;
};

// The address spaces that the pages of these disks are of.
[[nodiscard]] std::vector<DiskSpace> spaces_of(const std::vector<BlockDevice>& disks);

}  // namespace rigel
