// The miss-ratio curve of what is being recorded, on standard output every interval: what LRU
// caches of several sizes would have hit of the I/O since the recording began, with the 95 %
// interval. By sampling with a bounded number of pages (model/cache/live_curve.hpp), about 6 MB.
// write() and tick() throw Error when standard output cannot be written, ReaderGone when closed.
#pragma once

#include <cstdint>
#include <string>

#include "capture/recording_sink.hpp"
#include "model/cache/address_spaces.hpp"
#include "model/cache/live_curve.hpp"

namespace rigel {

class CurveTable final : public RecordingSink {
 public:
  // `page_bytes` as LiveCurveOptions has it.
  CurveTable(std::int64_t interval_ns, std::uint32_t page_bytes);

  void write(const RecordBatch& batch, const TraceTables& tables) override;
  void tick(std::int64_t now_ns, const TraceTables& tables) override;
  void finish(const TraceTables&) override {}

  // As printed: cache sizes in powers of four up to what holds everything; empty before any access.
  [[nodiscard]] std::string text();

 private:
  std::int64_t interval_ns_;
  std::int64_t printed_ns_ = 0;
  std::uint32_t page_bytes_;
  AddressSpaces spaces_;
  LiveCurve curve_;
  AccessCounts total_;
};

}  // namespace rigel
