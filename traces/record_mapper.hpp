// The base of sources that turn each record of another source into none, one or several.
// Reads one batch ahead; owns the source; not thread safe. next() throws what the source throws.
#pragma once

#include <memory>
#include <utility>

#include "traces/table_follower.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

class RecordMapper : public TraceSource {
 public:
  explicit RecordMapper(std::unique_ptr<TraceSource> source) : source_{std::move(source)} {}

  bool next(RecordBatch& batch) final {
    while (source_->next(input_)) {
      update_tables(source_->tables(), tables_);
      batch.reset(input_.present);
      for (std::size_t i = 0; i < input_.size(); ++i) map(input_.record(i), batch);
      if (!batch.empty()) return true;
    }
    update_tables(source_->tables(), tables_);
    batch.reset(input_.present);
    return false;
  }
  [[nodiscard]] const TraceTables& tables() const final { return tables_; }

 private:
  // Brings `mine` up to date before the records that need it are mapped.
  virtual void update_tables(const TraceTables& theirs, TraceTables& mine) = 0;
  // Appends to `output` whatever becomes of `record`.
  virtual void map(const IoRecord& record, RecordBatch& output) = 0;

  std::unique_ptr<TraceSource> source_;
  RecordBatch input_;
  TraceTables tables_;
};

}  // namespace rigel
