#include "traces/trace_writer.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "traces/column_codec.hpp"
#include "traces/error.hpp"
#include "traces/footer.hpp"
#include "traces/format.hpp"
#include "traces/table_json.hpp"

namespace rigel {

struct TraceWriter::State {
  State(std::unique_ptr<ByteSink> sink, TraceWriterOptions with)
      : out{std::move(sink)}, options{with}, encoder{with.compression_level} {
    losses = with.first_loss;
  }

  void write_block(rgt::BlockHeader header, std::span<const std::byte> payload);
  void write_json(rgt::BlockType type, const std::string& json);
  void write_meta(const TraceMeta& meta);
  template <typename Entry>
  void write_new(rgt::BlockType type, const std::vector<Entry>& entries, std::size_t& written,
                 std::size_t first = 0);
  void write_tables(const TraceTables& tables);
  void write_records(const TraceTables& tables);
  void write_footer();

  std::unique_ptr<ByteSink> out;
  TraceWriterOptions options;
  rgt::ColumnEncoder encoder;
  RecordBatch pending;
  std::vector<std::byte> payload;
  std::vector<std::byte> block;

  std::string meta;  // as written
  std::uint32_t trace_id = 0;
  std::size_t devices = 0;  // entries written
  std::size_t streams = 0;
  std::size_t losses = 0;
  std::size_t warnings = 0;
  std::uint64_t offset_bytes = 0;
  rgt::Totals totals;
  std::vector<rgt::IndexEntry> index;
};

namespace {

constexpr std::size_t kEntriesPerBlock = 4096;  // keeps table blocks far below their limit

// Range of start_ns over the records that have one.
struct StartRange {
  std::int64_t first_ns = kNoTime;
  std::int64_t last_ns = kNoTime;

  void add(std::int64_t start_ns) {
    if (start_ns == kNoTime) return;
    if (first_ns == kNoTime || start_ns < first_ns) first_ns = start_ns;
    if (last_ns == kNoTime || start_ns > last_ns) last_ns = start_ns;
  }
};

StartRange start_range(const RecordBatch& batch) {
  StartRange range;
  const ColumnSet present = batch.present;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    std::int64_t start_ns = present.has(Column::kQueue) ? batch.queue_ns[i] : kNoTime;
    if (start_ns == kNoTime && present.has(Column::kIssue)) start_ns = batch.issue_ns[i];
    if (start_ns == kNoTime && present.has(Column::kComplete)) start_ns = batch.complete_ns[i];
    range.add(start_ns);
  }
  return range;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span{text});
}

}  // namespace

void TraceWriter::State::write_block(rgt::BlockHeader header, std::span<const std::byte> content) {
  header.payload_bytes = static_cast<std::uint32_t>(content.size());
  header.trace_id = trace_id;
  header.records_before = totals.records;
  header.payload_checksum = rgt::checksum(content);
  const auto sealed = rgt::seal(header);
  // One write a block: a pipe's reader, or a crash, then sees whole blocks.
  block.assign(sealed.begin(), sealed.end());
  block.insert(block.end(), content.begin(), content.end());
  out->write(block);
  index.push_back(
      {offset_bytes, header.first_start_ns, header.last_start_ns, header.records, header.type, 0});
  offset_bytes += block.size();
  totals.records += header.records;
}

void TraceWriter::State::write_json(rgt::BlockType type, const std::string& json) {
  if (json.size() > rgt::kMaxDecodedBytes) {
    throw error_at(out->name(), offset_bytes, "a table is too large for the format");
  }
  rgt::BlockHeader header;
  header.type = static_cast<std::uint16_t>(type);
  header.decoded_bytes = static_cast<std::uint32_t>(json.size());
  payload.resize(ZSTD_compressBound(json.size()));
  const std::size_t compressed = ZSTD_compress(payload.data(), payload.size(), json.data(),
                                               json.size(), options.compression_level);
  if (ZSTD_isError(compressed) != 0) throw Error{ZSTD_getErrorName(compressed)};
  const bool smaller = compressed < json.size();
  write_block(header,
              smaller ? std::span<const std::byte>{payload}.first(compressed) : bytes_of(json));
}

void TraceWriter::State::write_meta(const TraceMeta& current) {
  std::string json = rgt::to_json(current);
  if (!meta.empty() && json == meta) return;
  // The first meta block names the trace.
  if (meta.empty()) trace_id = static_cast<std::uint32_t>(rgt::checksum(bytes_of(json)));
  write_json(rgt::BlockType::kMeta, json);
  meta = std::move(json);
}

template <typename Entry>
void TraceWriter::State::write_new(rgt::BlockType type, const std::vector<Entry>& entries,
                                   std::size_t& written, std::size_t first) {
  while (written < entries.size()) {
    const auto slice = std::span{entries}.subspan(written).first(
        std::min(kEntriesPerBlock, entries.size() - written));
    write_json(type, rgt::to_json<Entry>(written - first, slice));
    written += slice.size();
  }
}

void TraceWriter::State::write_tables(const TraceTables& tables) {
  if (meta.empty()) write_meta(tables.meta);
  write_new(rgt::BlockType::kDevices, tables.devices, devices);
  write_new(rgt::BlockType::kStreams, tables.streams, streams);
  for (std::size_t i = losses; i < tables.losses.size(); ++i) totals.lost += tables.losses[i].count;
  write_new(rgt::BlockType::kLosses, tables.losses, losses, options.first_loss);
  write_new(rgt::BlockType::kWarnings, tables.warnings, warnings);
}

void TraceWriter::State::write_records(const TraceTables& tables) {
  if (pending.empty()) return;
  write_tables(tables);
  const StartRange range = start_range(pending);
  StartRange all{totals.first_start_ns, totals.last_start_ns};
  all.add(range.first_ns);
  all.add(range.last_ns);
  totals.first_start_ns = all.first_ns;
  totals.last_start_ns = all.last_ns;
  totals.columns |= pending.present.bits();
  rgt::BlockHeader header;
  header.type = static_cast<std::uint16_t>(rgt::BlockType::kRecords);
  header.decoded_bytes = encoder.encode(pending, payload);
  header.records = static_cast<std::uint32_t>(pending.size());
  header.first_start_ns = range.first_ns;
  header.last_start_ns = range.last_ns;
  write_block(header, payload);
  pending.reset(pending.present);
}

void TraceWriter::State::write_footer() {
  rgt::BlockHeader header;
  header.type = static_cast<std::uint16_t>(rgt::BlockType::kFooter);
  const std::vector<std::byte> content = rgt::footer_payload(totals, index, offset_bytes);
  if (content.size() > rgt::kMaxPayloadBytes) return;  // readers scan, as they do after a crash
  header.decoded_bytes = static_cast<std::uint32_t>(content.size());
  write_block(header, content);
}

TraceWriter::TraceWriter(std::unique_ptr<ByteSink> out, TraceWriterOptions options)
    : state_{std::make_unique<State>(std::move(out), options)} {
  if (options.records_per_block == 0 || options.records_per_block > rgt::kMaxRecordsPerBlock) {
    throw UsageError{fmt::format("a block holds 1 to {} records, not {}", rgt::kMaxRecordsPerBlock,
                                 options.records_per_block)};
  }
}

TraceWriter::~TraceWriter() = default;

void TraceWriter::write(const RecordBatch& batch, const TraceTables& tables) {
  State& state = *state_;
  if (batch.empty()) return;
  if (batch.present != state.pending.present) {
    state.write_records(tables);
    state.pending.reset(batch.present);
  }
  std::size_t taken = 0;
  while (taken < batch.size()) {
    const std::size_t room = state.options.records_per_block - state.pending.size();
    const std::size_t count = std::min(room, batch.size() - taken);
    state.pending.append(batch, taken, count);
    taken += count;
    if (count == room) state.write_records(tables);
  }
}

void TraceWriter::flush(const TraceTables& tables) {
  state_->write_records(tables);
  state_->write_tables(tables);
}

void TraceWriter::finish(const TraceTables& tables) {
  flush(tables);
  state_->write_meta(tables.meta);
  state_->write_footer();
  state_->out->close();
}

}  // namespace rigel
