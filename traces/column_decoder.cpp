#include <fmt/format.h>
#include <zstd.h>

#include <array>
#include <cstring>
#include <optional>
#include <type_traits>

#include "traces/column_codec.hpp"
#include "traces/column_layout.hpp"

namespace rigel::rgt {
namespace {

struct StoredColumn {
  ColumnEntry entry;
  std::span<const std::byte> bytes;
};
using Directory = std::array<std::optional<StoredColumn>, kColumnCount>;

struct BadColumn {
  std::string what;
};

bool may_predict(const ColumnEntry& entry) {
  if (entry.predictor <= predictor::kPrevious) return true;
  // Only times before it in the order of columns, so that there is no circle.
  const unsigned other = entry.predictor - unsigned{predictor::kOfColumn};
  return entry.predictor >= predictor::kOfColumn &&
         entry.column <= static_cast<unsigned>(Column::kComplete) && other < entry.column;
}

// The payload's parts. `decoded_bytes` is what they decompress to, as their entries have it.
Directory parse_directory(std::span<const std::byte> payload, std::uint32_t records,
                          std::uint64_t& decoded_bytes) {
  DirectoryHeader header;
  if (payload.size() < sizeof header) throw BadColumn{"no directory of columns"};
  std::memcpy(&header, payload.data(), sizeof header);
  const std::size_t size = std::size_t{header.columns} * header.entry_bytes;
  if (header.entry_bytes < sizeof(ColumnEntry) || header.reserved != 0 ||
      size > payload.size() - sizeof header) {
    throw BadColumn{"a directory of columns that makes no sense"};
  }
  Directory directory;
  decoded_bytes = 0;
  std::span<const std::byte> rest = payload.subspan(sizeof header + size);
  for (unsigned i = 0; i < header.columns; ++i) {
    ColumnEntry entry;
    std::memcpy(&entry, payload.data() + sizeof header + std::size_t{i} * header.entry_bytes,
                sizeof entry);
    if (entry.stored_bytes > rest.size() || entry.width > 8) {
      throw BadColumn{fmt::format("column {} does not fit its block", entry.column)};
    }
    const unsigned null_planes = (entry.flags & column_flag::kNullable) != 0 ? 1 : 0;
    decoded_bytes += std::uint64_t{entry.width + null_planes} * records;
    const auto bytes = rest.first(entry.stored_bytes);
    rest = rest.subspan(entry.stored_bytes);
    if (entry.column >= kColumnCount) continue;  // of a later version
    if (directory[entry.column].has_value() || !may_predict(entry) ||
        (entry.flags & ~column_flag::kKnown) != 0) {
      throw BadColumn{fmt::format("column {} has an encoding that makes no sense", entry.column)};
    }
    directory[entry.column] = StoredColumn{entry, bytes};
  }
  if (!rest.empty()) throw BadColumn{"bytes after the last column"};
  return directory;
}

}  // namespace

struct ColumnDecoder::State {
  ~State() { ZSTD_freeDCtx(context); }

  void read_plane(std::span<const std::byte>& stored, std::vector<std::byte>& plane,
                  std::uint32_t count, const ColumnEntry& entry);
  void read_numbers(const StoredColumn& column, std::uint32_t records);
  template <typename T>
  void read(Column column, std::vector<T>& values, RecordBatch& batch);

  ZSTD_DCtx* context = ZSTD_createDCtx();
  Directory directory;
  std::uint32_t records = 0;
  ColumnSet decoded;  // those in the batch already
  std::vector<std::byte> nulls;
  std::vector<std::byte> planes;
  std::vector<std::uint64_t> numbers;
};

ColumnDecoder::ColumnDecoder() : state_{std::make_unique<State>()} {}
ColumnDecoder::~ColumnDecoder() = default;

// Takes one plane off the front of `stored`.
void ColumnDecoder::State::read_plane(std::span<const std::byte>& stored,
                                      std::vector<std::byte>& plane, std::uint32_t count,
                                      const ColumnEntry& entry) {
  const BadColumn bad{fmt::format("column {} cannot be decompressed", entry.column)};
  std::uint32_t size = 0;
  if (stored.size() < sizeof size) throw bad;
  std::memcpy(&size, stored.data(), sizeof size);
  stored = stored.subspan(sizeof size);
  if (size > stored.size() || size == 0) throw bad;
  plane.resize(count);
  if (size == 1) {
    std::fill(plane.begin(), plane.end(), stored[0]);
  } else if (size == count) {
    std::memcpy(plane.data(), stored.data(), count);
  } else if (ZSTD_decompressDCtx(context, plane.data(), count, stored.data(), size) != count) {
    throw bad;
  }
  stored = stored.subspan(size);
}

void ColumnDecoder::State::read_numbers(const StoredColumn& column, std::uint32_t count) {
  std::span<const std::byte> rest = column.bytes;
  numbers.assign(count, 0);
  if ((column.entry.flags & column_flag::kNullable) != 0) {
    read_plane(rest, nulls, count, column.entry);
  }
  for (unsigned plane = 0; plane < column.entry.width; ++plane) {
    read_plane(rest, planes, count, column.entry);
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] |= std::to_integer<std::uint64_t>(planes[i]) << (8 * plane);
    }
  }
  if (!rest.empty()) throw BadColumn{fmt::format("column {} is too long", column.entry.column)};
}

template <typename T>
void ColumnDecoder::State::read(Column column, std::vector<T>& values, RecordBatch& batch) {
  const std::optional<StoredColumn>& stored = directory[static_cast<std::size_t>(column)];
  if (!stored || decoded.has(column)) return;
  const ColumnEntry& entry = stored->entry;
  const std::vector<std::int64_t>* other = nullptr;
  if (entry.predictor >= predictor::kOfColumn) {
    const auto reference = static_cast<Column>(entry.predictor - predictor::kOfColumn);
    if (!decoded.has(reference)) throw BadColumn{"a column stands on one that is not there"};
    other = reference == Column::kQueue ? &batch.queue_ns : &batch.issue_ns;
  }
  read_numbers(*stored, records);
  values.resize(records);
  const bool is_signed = (entry.flags & column_flag::kSigned) != 0;
  constexpr bool kIsTime = std::is_same_v<T, std::int64_t>;
  const bool nullable = (entry.flags & column_flag::kNullable) != 0;
  if (nullable && !kIsTime) throw BadColumn{"only times can be missing"};
  std::uint64_t near = entry.base;
  for (std::size_t i = 0; i < records; ++i) {
    if (other != nullptr && (*other)[i] != kNoTime) {
      near = static_cast<std::uint64_t>((*other)[i]);
    }
    std::uint64_t number = numbers[i];
    if (nullable && nulls[i] != std::byte{0}) {
      if constexpr (kIsTime) values[i] = kNoTime;
      continue;
    }
    if (is_signed) number = unzigzag(number);
    const std::uint64_t value = near + number * entry.unit;
    values[i] = static_cast<T>(value);
    if (entry.predictor == predictor::kPrevious) near = value;
  }
  decoded.add(column);
}

std::string ColumnDecoder::decode(std::span<const std::byte> payload, std::uint32_t records,
                                  std::uint32_t decoded_bytes, ColumnSet wanted,
                                  RecordBatch& batch) {
  State& state = *state_;
  batch.reset({});
  try {
    std::uint64_t decoded = 0;
    state.directory = parse_directory(payload, records, decoded);
    if (decoded != decoded_bytes) throw BadColumn{"the columns' sizes do not add up"};
    state.records = records;
    state.decoded = {};
    ColumnSet present;
    for (unsigned i = 0; i < kColumnCount; ++i) {
      if (state.directory[i]) present.add(static_cast<Column>(i));
    }
    wanted = wanted & present;
    ColumnSet needed = wanted;
    for (unsigned i = kColumnCount; i-- > 0;) {
      if (!needed.has(static_cast<Column>(i)) || !state.directory[i]) continue;
      const std::uint8_t predictor = state.directory[i]->entry.predictor;
      if (predictor >= predictor::kOfColumn) {
        needed.add(static_cast<Column>(predictor - predictor::kOfColumn));
      }
    }
    RecordBatch::for_each_column([&](Column column, auto vector, auto) {
      if (needed.has(column)) state.read(column, batch.*vector, batch);
    });
    for (const IoOp op : batch.op) {
      if (static_cast<std::uint8_t>(op) >= kIoOpCount) throw BadColumn{"an op that is none"};
    }
    if (!wanted.has(Column::kQueue)) batch.queue_ns.clear();
    if (!wanted.has(Column::kIssue)) batch.issue_ns.clear();
    batch.present = wanted;
    batch.resize(records);
    return {};
  } catch (const BadColumn& bad) {
    batch.reset({});
    return bad.what;
  }
}

ColumnSet columns_of(std::span<const std::byte> payload) {
  ColumnSet columns;
  try {
    std::uint64_t decoded = 0;
    const Directory directory = parse_directory(payload, 0, decoded);
    for (unsigned i = 0; i < kColumnCount; ++i) {
      if (directory[i]) columns.add(static_cast<Column>(i));
    }
  } catch (const BadColumn&) {
    return {};
  }
  return columns;
}

}  // namespace rigel::rgt
