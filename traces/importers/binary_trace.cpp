#include "traces/importers/binary_trace.hpp"

#include <fmt/format.h>

#include "traces/error.hpp"
#include "traces/importers/import_batch.hpp"

namespace rigel {

BinaryTrace::BinaryTrace(std::unique_ptr<ByteSource> input, std::unique_ptr<RecordDecoder> decoder,
                         std::string source_name, ColumnSet columns)
    : input_{std::move(input)},
      decoder_{std::move(decoder)},
      wanted_{columns},
      buffer_(kImportBatch * decoder_->record_bytes()) {
  tables_.meta.source = std::move(source_name);
}

bool BinaryTrace::next(RecordBatch& batch) {
  records_.clear();
  const std::size_t size = decoder_->record_bytes();
  while (records_.empty() && !finished_) {
    const std::size_t got = input_->read(buffer_);
    finished_ = got < buffer_.size();
    for (std::size_t at = 0; at + size <= got; at += size) {
      std::string refusal;
      const IoRecord record = decoder_->decode(buffer_.data() + at, refusal, tables_);
      if (refusal.empty()) {
        records_.push_back(record);
        continue;
      }
      ++refused_;
      if (refused_ > kListedDamage) {
        throw error_at(
            input_->name(), offset_bytes_ + at,
            fmt::format("{} records cannot be read, the last one: {}", refused_, refusal));
      }
      tables_.damage.push_back({offset_bytes_ + at, size, 1, std::move(refusal)});
    }
    if (const std::size_t rest = got % size; rest != 0) {
      tables_.damage.push_back({offset_bytes_ + got - rest, rest, 1,
                                fmt::format("cut short: {} of a record's {} bytes", rest, size)});
    }
    offset_bytes_ += got;
  }
  fill_batch(batch, records_, decoder_->columns() & wanted_);
  return !batch.empty();
}

}  // namespace rigel
