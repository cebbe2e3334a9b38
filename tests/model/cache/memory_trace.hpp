// Traces in memory, and the real ones that reference hit ratios exist for.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/cache/page_index.hpp"
#include "model/cache/page_stream.hpp"
#include "traces/trace_source.hpp"

namespace rigel::test {

// Hands out records that its maker keeps, a few at a time so that batch edges are met.
class MemoryTrace final : public TraceSource {
 public:
  explicit MemoryTrace(std::span<const IoRecord> records, std::size_t batch_records = 1000)
      : records_{records}, batch_records_{batch_records} {}
  bool next(RecordBatch& batch) override;
  [[nodiscard]] const TraceTables& tables() const override { return tables_; }
  [[nodiscard]] TraceTables& tables() { return tables_; }

 private:
  std::span<const IoRecord> records_;
  std::size_t batch_records_;
  std::size_t at_ = 0;
  TraceTables tables_;
};

[[nodiscard]] IoRecord read_of(std::uint64_t offset_bytes, std::uint32_t length_bytes);
[[nodiscard]] IoRecord write_of(std::uint64_t offset_bytes, std::uint32_t length_bytes);
// One read of a 4 KiB page for each number.
[[nodiscard]] std::vector<IoRecord> reads_of_pages(const std::vector<std::uint64_t>& pages);

// "cloudPhysicsIO", "arc_OLTP", "arc_P3", "lirs_sprite", …: read once, then kept.
// Page numbers are 4 KiB pages. Throws when the data is not there.
[[nodiscard]] const std::vector<IoRecord>& real_trace(const std::string& name);

// Runs a trace through a stream and an index: `visit` gets every block.
using BlockVisitor = std::function<void(const PageBlock&)>;
void for_each_block(const std::vector<IoRecord>& records, const PageStreamOptions& options,
                    const BlockVisitor& visit);

struct ReferenceHitRatio {
  std::string trace;  // without the page size
  std::uint32_t page_bytes = 4096;
  std::string policy;
  std::uint32_t capacity_pages = 0;
  double hit_ratio = 0;
};
[[nodiscard]] std::vector<ReferenceHitRatio> reference_hit_ratios(const std::string& policy);

}  // namespace rigel::test
