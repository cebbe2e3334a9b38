// The miss-ratio curve of what is being recorded: what LRU caches of several sizes would have made
// of the I/O since the recording began, on standard output every interval. By SHARDS with a bounded
// number of pages (model/cache/shards.hpp), so memory and cost do not grow: about 10 MB.
// write() and tick() throw Error when standard output cannot be written, ReaderGone when closed.
#pragma once

#include <cstdint>
#include <string>

#include "capture/recording_sink.hpp"
#include "model/cache/address_spaces.hpp"
#include "model/cache/shards.hpp"

namespace rigel {

class LiveCurve final : public RecordingSink {
 public:
  LiveCurve(std::int64_t interval_ns, std::uint64_t page_bytes);

  void write(const RecordBatch& batch, const TraceTables& tables) override;
  void tick(std::int64_t now_ns, const TraceTables& tables) override;
  void finish(const TraceTables&) override {}

  // As printed: cache sizes in powers of four up to what holds everything, and the hits of each.
  [[nodiscard]] std::string text();

 private:
  std::int64_t interval_ns_;
  std::int64_t printed_ns_ = 0;
  std::uint64_t page_bytes_;
  AddressSpaces spaces_;
  ShardsSampler sampler_;
};

}  // namespace rigel
