#include "traces/trace_reader.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "traces/block_reader.hpp"
#include "traces/column_codec.hpp"
#include "traces/error.hpp"
#include "traces/file_index.hpp"
#include "traces/format.hpp"
#include "traces/table_json.hpp"
#include "traces/table_map.hpp"

namespace rigel {

using rgt::Block;
using rgt::BlockType;

namespace {

const ColumnSet kTimes{Column::kQueue, Column::kIssue, Column::kComplete};

// Times of a forged file may overflow; they must not do so as signed numbers.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// The JSON of a table block, decompressed where it is; empty when it cannot be.
std::span<const std::byte> json_of(const Block& block, std::vector<std::byte>& scratch) {
  const std::size_t size = block.header.decoded_bytes;
  if (block.payload.size() == size) return block.payload;
  scratch.resize(size);
  const std::size_t got =
      ZSTD_decompress(scratch.data(), size, block.payload.data(), block.payload.size());
  if (got != size) return {};
  return scratch;
}

}  // namespace

struct TraceReader::State {
  State(std::unique_ptr<ByteSource> in, TraceReaderOptions with)
      : blocks{std::move(in)}, options{with} {}

  void plan_skips(const rgt::FileIndex& index);
  void skip_unwanted();
  bool advance();
  bool accept(const Block& block);
  void begin_trace(const Block& block);
  void note_missing(const Block& block);
  void end_of_file();
  void damaged(const Block& block, std::string reason);
  void take(const Block& block);
  void take_footer(const Block& block);
  void take_meta(const Block& block);
  template <typename Entry>
  bool take_table(const Block& block, std::vector<Entry>& entries, rgt::TableMap* map);
  bool decode(const Block& block, RecordBatch& batch);
  void adapt(RecordBatch& batch);
  [[nodiscard]] bool wants_all() const;
  [[nodiscard]] bool holds_wanted(std::int64_t first_ns, std::int64_t last_ns) const;
  void select_times(RecordBatch& batch);

  rgt::BlockReader blocks;
  TraceReaderOptions options;
  rgt::ColumnDecoder decoder;
  TraceTables tables;
  std::optional<rgt::Totals> totals;
  Block block;           // the record block to be decoded next
  bool pending = false;  // whether there is one
  std::vector<std::byte> scratch;
  std::vector<std::uint32_t> rows;  // within the time asked for

  // Blocks of the first trace that hold nothing of the time asked for.
  struct Skip {
    std::uint64_t from_bytes;
    std::uint64_t to_bytes;
    std::uint32_t records;
  };
  std::vector<Skip> skips;
  std::size_t next_skip = 0;

  // The trace under way; a file of several concatenated ones has several.
  bool any_block = false;
  bool ended = true;  // its footer was read
  std::uint32_t trace_id = 0;
  std::uint64_t records = 0;          // passed so far, lost ones included
  std::vector<rgt::IndexEntry> seen;  // its blocks
  std::uint64_t begin_bytes = 0;
  std::size_t damage_before = 0;  // entries of tables.damage at the end of the trace before it
  std::size_t damage_noted = 0;   // entries of tables.damage accounted for
  std::int64_t shift_ns = 0;      // from its times to the first trace's
  bool first_trace = true;
  rgt::TableMap devices;
  rgt::TableMap streams;
};

void TraceReader::State::damaged(const Block& bad, std::string reason) {
  tables.damage.push_back({bad.offset_bytes, bad.end_bytes() - bad.offset_bytes, bad.header.records,
                           std::move(reason)});
}

void TraceReader::State::begin_trace(const Block& with) {
  if (any_block && !ended) {
    tables.damage.push_back({with.offset_bytes, 0, 0, "a trace ends without its footer"});
  }
  first_trace = !any_block;
  any_block = true;
  ended = false;
  trace_id = with.header.trace_id;
  begin_bytes = with.offset_bytes;
  seen.clear();
  records = 0;
  shift_ns = 0;
  devices = {};
  streams = {};
}

// Blocks say how many records came before them: what is missing was lost in the damage before it.
void TraceReader::State::note_missing(const Block& next_good) {
  std::uint64_t accounted = 0;
  for (std::size_t i = damage_noted; i < tables.damage.size(); ++i) {
    accounted += tables.damage[i].records_lost;
  }
  const std::uint64_t missing = next_good.header.records_before - records;
  if (missing > accounted) {
    if (damage_noted == tables.damage.size()) {
      tables.damage.push_back({next_good.offset_bytes, 0, 0, "blocks are missing before this one"});
    }
    tables.damage.back().records_lost += missing - accounted;
  }
  damage_noted = tables.damage.size();
}

// Puts the block in its place in the trace; false when it has none.
bool TraceReader::State::accept(const Block& next) {
  const bool is_meta = next.header.type == static_cast<std::uint16_t>(BlockType::kMeta);
  const bool starts_over = is_meta && next.header.records_before == 0 && records > 0;
  if (ended || next.header.trace_id != trace_id || starts_over) begin_trace(next);
  if (next.header.records_before < records) {
    damaged(next, "a block that is out of order");
    tables.damage.back().records_lost = 0;
    return false;
  }
  note_missing(next);
  records = next.header.records_before + next.header.records;
  if (next.header.type == static_cast<std::uint16_t>(BlockType::kFooter)) return true;
  seen.push_back({next.offset_bytes - begin_bytes, next.header.first_start_ns,
                  next.header.last_start_ns, next.header.records, next.header.type, 0});
  return true;
}

void TraceReader::State::take_meta(const Block& with) {
  std::optional<TraceMeta> meta = rgt::parse_meta(json_of(with, scratch));
  if (!meta) return damaged(with, "a meta block that cannot be read");
  if (first_trace) {
    tables.meta = std::move(*meta);
    return;
  }
  if (meta->start_wall_ns != 0 && tables.meta.start_wall_ns != 0) {
    shift_ns = difference(meta->start_wall_ns, tables.meta.start_wall_ns);
  } else {
    tables.warnings.push_back(
        fmt::format("byte {}: another trace begins, and it is not known how long after the first",
                    with.offset_bytes));
  }
}

template <typename Entry>
bool TraceReader::State::take_table(const Block& with, std::vector<Entry>& entries,
                                    rgt::TableMap* map) {
  auto slice = rgt::parse_table<Entry>(json_of(with, scratch));
  if (!slice) {
    damaged(with, "a table block that cannot be read");
    return false;
  }
  if (map != nullptr) {
    map->add(slice->first, slice->entries.size(), static_cast<std::uint32_t>(entries.size()));
  }
  entries.insert(entries.end(), std::make_move_iterator(slice->entries.begin()),
                 std::make_move_iterator(slice->entries.end()));
  return true;
}

void TraceReader::State::take_footer(const Block& with) {
  ended = true;
  const auto footer = rgt::parse_footer(with.payload);
  if (!footer) return damaged(with, "an index that contradicts itself");
  if (first_trace && !totals) totals = footer->totals;
  // Where all blocks were read, the index must name just those.
  const bool comparable = damage_before == tables.damage.size() && next_skip == 0;
  if (comparable && seen != footer->index) {
    damaged(with, "an index that does not match the blocks before it");
  }
  damage_before = tables.damage.size();
}

void TraceReader::State::take(const Block& with) {
  switch (static_cast<BlockType>(with.header.type)) {
    case BlockType::kMeta:
      take_meta(with);
      break;
    case BlockType::kDevices:
      take_table(with, tables.devices, &devices);
      break;
    case BlockType::kStreams:
      take_table(with, tables.streams, &streams);
      break;
    case BlockType::kWarnings:
      take_table(with, tables.warnings, nullptr);
      break;
    case BlockType::kLosses: {
      const std::size_t known = tables.losses.size();
      if (!take_table(with, tables.losses, nullptr)) break;
      for (std::size_t i = known; i < tables.losses.size(); ++i) {
        tables.losses[i].from_ns = sum(tables.losses[i].from_ns, shift_ns);
        tables.losses[i].to_ns = sum(tables.losses[i].to_ns, shift_ns);
      }
      break;
    }
    case BlockType::kFooter:
      take_footer(with);
      break;
    case BlockType::kRecords:
      break;
  }
}

void TraceReader::State::end_of_file() {
  const std::uint64_t end = blocks.offset_bytes();
  if (!any_block) {
    if (end == 0) throw Error{fmt::format("{}: is empty", blocks.source().name())};
    const Damage& first = tables.damage.front();
    throw error_at(
        blocks.source().name(), first.offset_bytes,
        fmt::format("{}; no block of a rigel trace is whole in its {} bytes", first.reason, end));
  }
  const bool cut_inside =
      !tables.damage.empty() &&
      tables.damage.back().offset_bytes + tables.damage.back().length_bytes == end;
  if (ended || cut_inside) return;
  tables.damage.push_back(
      {end, 0, 0, "the file ends without a footer: it was cut, or is not finished"});
  ended = true;
}

void TraceReader::State::plan_skips(const rgt::FileIndex& index) {
  totals = index.totals;
  for (std::size_t i = 0; i < index.blocks.size(); ++i) {
    const rgt::IndexEntry& entry = index.blocks[i];
    const bool wanted = entry.type != static_cast<std::uint16_t>(BlockType::kRecords) ||
                        entry.first_start_ns == kNoTime ||
                        holds_wanted(entry.first_start_ns, entry.last_start_ns);
    const bool last = i + 1 == index.blocks.size();
    const std::uint64_t next = last ? index.footer_offset_bytes : index.blocks[i + 1].offset_bytes;
    if (!wanted) skips.push_back({entry.offset_bytes, next, entry.records});
  }
}

void TraceReader::State::skip_unwanted() {
  while (next_skip < skips.size() && skips[next_skip].from_bytes == blocks.offset_bytes()) {
    records += skips[next_skip].records;
    blocks.seek(skips[next_skip].to_bytes);
    ++next_skip;
  }
}

// Reads to the next record block; false at the end.
bool TraceReader::State::advance() {
  pending = false;
  while (true) {
    skip_unwanted();
    if (!blocks.next(block, tables.damage)) break;
    if (!accept(block)) continue;
    if (block.header.type == static_cast<std::uint16_t>(BlockType::kRecords)) {
      pending = true;
      return true;
    }
    take(block);
  }
  end_of_file();
  return false;
}

bool TraceReader::State::wants_all() const {
  const TraceReaderOptions all;
  return options.from_ns == all.from_ns && options.to_ns == all.to_ns;
}

// Whether a block with these times may have records of the time asked for.
bool TraceReader::State::holds_wanted(std::int64_t first_ns, std::int64_t last_ns) const {
  return wants_all() ||
         (first_ns != kNoTime && last_ns >= options.from_ns && first_ns < options.to_ns);
}

// Keeps the records of the time asked for, and then the columns asked for.
void TraceReader::State::select_times(RecordBatch& batch) {
  rows.clear();
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    const std::int64_t start_ns = batch.record(i).start_ns();
    const bool wanted =
        start_ns != kNoTime && start_ns >= options.from_ns && start_ns < options.to_ns;
    if (wanted) rows.push_back(i);
  }
  batch.keep_rows(rows);
  batch.present = batch.present & options.columns;
  RecordBatch::for_each_column([&](Column column, auto vector, auto) {
    if (!batch.present.has(column)) (batch.*vector).clear();
  });
}

// From the trace's own indices and times to those of tables().
void TraceReader::State::adapt(RecordBatch& batch) {
  devices.apply(batch.device, [&](std::uint32_t index) {
    tables.devices.emplace_back().name = fmt::format("unknown-{}", index);
    return static_cast<std::uint32_t>(tables.devices.size() - 1);
  });
  streams.apply(batch.stream, [&](std::uint32_t index) {
    tables.streams.emplace_back().comm = fmt::format("unknown-{}", index);
    return static_cast<std::uint32_t>(tables.streams.size() - 1);
  });
  if (shift_ns == 0) return;
  for (auto* times : {&batch.queue_ns, &batch.issue_ns, &batch.complete_ns}) {
    for (std::int64_t& time : *times) {
      if (time != kNoTime) time = sum(time, shift_ns);
    }
  }
}

// Fills the batch from the pending block; false when it gives none.
bool TraceReader::State::decode(const Block& from, RecordBatch& batch) {
  std::int64_t first = from.header.first_start_ns;
  std::int64_t last = from.header.last_start_ns;
  if (first != kNoTime) {
    first = sum(first, shift_ns);
    last = sum(last, shift_ns);
  }
  if (!holds_wanted(first, last)) {
    const bool has_times = (rgt::columns_of(from.payload) & kTimes) != ColumnSet{};
    if (first == kNoTime && !has_times) {
      throw error_at(blocks.source().name(), from.offset_bytes,
                     "cannot choose records by time: the trace does not tell it");
    }
    return false;
  }
  const bool inside =
      wants_all() || (first != kNoTime && first >= options.from_ns && last < options.to_ns);
  const ColumnSet columns = inside ? options.columns : options.columns | kTimes;
  const std::string bad =
      decoder.decode(from.payload, from.header.records, from.header.decoded_bytes, columns, batch);
  if (!bad.empty()) {
    damaged(from, bad);
    damage_noted = tables.damage.size();
    return false;
  }
  adapt(batch);
  if (!inside) select_times(batch);
  return !batch.empty();
}

TraceReader::TraceReader(std::unique_ptr<ByteSource> in, TraceReaderOptions options)
    : state_{std::make_unique<State>(std::move(in), options)} {
  if (const auto index = rgt::read_file_index(state_->blocks)) state_->plan_skips(*index);
  state_->advance();
}

TraceReader::~TraceReader() = default;

bool TraceReader::next(RecordBatch& batch) {
  State& state = *state_;
  while (state.pending || state.advance()) {
    state.pending = false;
    if (state.decode(state.block, batch)) return true;
  }
  batch.reset({});
  return false;
}

const TraceTables& TraceReader::tables() const {
  return state_->tables;
}

const std::optional<rgt::Totals>& TraceReader::totals() const {
  return state_->totals;
}

bool is_rgt(std::span<const std::byte> head) {
  // The rest of the magic is there to show a transfer as text, which must not hide what the file
  // is.
  constexpr std::size_t kTellingBytes = 4;
  const std::size_t compared = std::min(head.size(), kTellingBytes);
  if (compared != 0 && std::memcmp(head.data(), rgt::kMagic.data(), compared) == 0) return true;
  return rgt::contains_block(head);
}

}  // namespace rigel
