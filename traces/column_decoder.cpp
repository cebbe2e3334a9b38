#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
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

// Rows whose numbers are worked on at a time, so that they stay in the first-level cache.
constexpr std::size_t kChunkRows = 1024;

// numbers[i] = the bytes planes[i], planes[i + stride], …, least significant first.
template <unsigned kWidth>
void join_planes(const std::byte* planes, std::size_t stride, std::span<std::uint64_t> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint64_t number = 0;
    for (unsigned plane = 0; plane < kWidth; ++plane) {
      number |= std::to_integer<std::uint64_t>(planes[plane * stride + i]) << (8 * plane);
    }
    numbers[i] = number;
  }
}

bool is_time(unsigned column) {
  return column <= static_cast<unsigned>(Column::kComplete);
}

// The column that another one's predictor names.
Column column_referred(const ColumnEntry& entry) {
  return static_cast<Column>(entry.predictor - predictor::kOfColumn);
}

// The columns that must be decoded before this one can be.
ColumnSet needed_for(const ColumnEntry& entry) {
  if (entry.predictor == predictor::kPreviousOnDevice) return {Column::kDevice};
  if (entry.predictor >= predictor::kOfColumn) return {column_referred(entry)};
  return {};
}

bool makes_sense(const ColumnEntry& entry) {
  if ((entry.flags & ~column_flag::kKnown) != 0) return false;
  if ((entry.flags & column_flag::kNullable) != 0 && !is_time(entry.column)) return false;
  if (entry.predictor == predictor::kPreviousOnDevice) {
    return entry.column == static_cast<unsigned>(Column::kOffset);
  }
  if (entry.predictor < predictor::kOfColumn) return entry.predictor <= predictor::kPrevious;
  // Only times before it in the order of columns, so that there is no circle.
  return is_time(entry.column) && entry.predictor - predictor::kOfColumn < entry.column;
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
    if (directory[entry.column].has_value() || !makes_sense(entry)) {
      throw BadColumn{fmt::format("column {} has an encoding that makes no sense", entry.column)};
    }
    directory[entry.column] = StoredColumn{entry, bytes};
  }
  if (!rest.empty()) throw BadColumn{"bytes after the last column"};
  return directory;
}

ColumnSet columns_in(const Directory& directory) {
  ColumnSet columns;
  for (unsigned i = 0; i < kColumnCount; ++i) {
    if (directory[i]) columns.add(static_cast<Column>(i));
  }
  return columns;
}

}  // namespace

struct ColumnDecoder::State {
  ~State() { ZSTD_freeDCtx(context); }

  void read_plane(std::span<const std::byte>& stored, std::span<std::byte> plane,
                  const ColumnEntry& entry);
  void read_planes(const StoredColumn& column);
  template <typename T>
  void read(const StoredColumn& column, std::vector<T>& values, const RecordBatch& batch);
  void numbers_from(const ColumnEntry& entry, std::size_t from, std::size_t count);
  template <typename T>
  void predict(const ColumnEntry& entry, std::size_t from, std::span<T> values,
               const RecordBatch& batch);

  ZSTD_DCtx* context = ZSTD_createDCtx();
  Directory directory;
  std::uint32_t records = 0;
  // Of the column under way:
  std::vector<std::byte> nulls;
  std::vector<std::byte> planes;  // one after the other
  std::array<std::uint64_t, kChunkRows> numbers;
  std::uint64_t near = 0;  // the prediction so far
  std::array<std::uint64_t, kDeviceSlots> on_device;
};

ColumnDecoder::ColumnDecoder() : state_{std::make_unique<State>()} {}
ColumnDecoder::~ColumnDecoder() = default;

// Takes one plane off the front of `stored`.
void ColumnDecoder::State::read_plane(std::span<const std::byte>& stored,
                                      std::span<std::byte> plane, const ColumnEntry& entry) {
  std::uint32_t size = 0;
  bool good = stored.size() >= sizeof size;
  if (good) {
    std::memcpy(&size, stored.data(), sizeof size);
    stored = stored.subspan(sizeof size);
    good = size <= stored.size() && size > 0;
  }
  if (good && size == 1) {
    std::fill(plane.begin(), plane.end(), stored[0]);
  } else if (good && size == plane.size()) {
    std::memcpy(plane.data(), stored.data(), size);
  } else if (good) {
    good = ZSTD_decompressDCtx(context, plane.data(), plane.size(), stored.data(), size) ==
           plane.size();
  }
  if (!good) throw BadColumn{fmt::format("column {} cannot be decompressed", entry.column)};
  stored = stored.subspan(size);
}

void ColumnDecoder::State::read_planes(const StoredColumn& column) {
  std::span<const std::byte> rest = column.bytes;
  if ((column.entry.flags & column_flag::kNullable) != 0) {
    nulls.resize(records);
    read_plane(rest, nulls, column.entry);
  }
  // Never smaller again: what grows is filled with zeros first, which takes as long as using it.
  const std::size_t needed = std::size_t{column.entry.width} * records;
  if (planes.size() < needed) planes.resize(needed);
  for (std::size_t plane = 0; plane < column.entry.width; ++plane) {
    read_plane(rest, std::span{planes}.subspan(plane * records, records), column.entry);
  }
  if (!rest.empty()) throw BadColumn{fmt::format("column {} is too long", column.entry.column)};
}

// numbers[0, count) = the numbers of rows from, from + 1, …, with sign and unit.
void ColumnDecoder::State::numbers_from(const ColumnEntry& entry, std::size_t from,
                                        std::size_t count) {
  static constexpr std::array kJoins{join_planes<0>, join_planes<1>, join_planes<2>,
                                     join_planes<3>, join_planes<4>, join_planes<5>,
                                     join_planes<6>, join_planes<7>, join_planes<8>};
  const std::span<std::uint64_t> chunk = std::span{numbers}.first(count);
  // A column of one value has no planes, and there may be none of another's.
  const std::byte* const first = entry.width == 0 ? nullptr : planes.data() + from;
  kJoins[entry.width](first, records, chunk);
  if ((entry.flags & column_flag::kSigned) != 0) {
    for (std::uint64_t& number : chunk) number = unzigzag(number);
  }
  if (std::has_single_bit(entry.unit)) {
    const int shift = std::countr_zero(entry.unit);
    if (shift != 0) {
      for (std::uint64_t& number : chunk) number <<= shift;
    }
  } else {
    for (std::uint64_t& number : chunk) number *= entry.unit;
  }
}

// values = prediction + numbers.
template <typename T>
void ColumnDecoder::State::predict(const ColumnEntry& entry, std::size_t from, std::span<T> values,
                                   const RecordBatch& batch) {
  if (entry.predictor == predictor::kBase) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<T>(entry.base + numbers[i]);
    }
  } else if (entry.predictor == predictor::kPrevious) {
    std::uint64_t value = near;
    for (std::size_t i = 0; i < values.size(); ++i) {
      value += numbers[i];
      values[i] = static_cast<T>(value);
    }
    near = value;
  } else if (entry.predictor == predictor::kPreviousOnDevice) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint64_t& value = on_device[batch.device[from + i] % kDeviceSlots];
      value += numbers[i];
      values[i] = static_cast<T>(value);
    }
  } else {
    const std::vector<std::int64_t>& reference =
        column_referred(entry) == Column::kQueue ? batch.queue_ns : batch.issue_ns;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t known = reference[from + i];
      near = known == kNoTime ? near : static_cast<std::uint64_t>(known);
      values[i] = static_cast<T>(near + numbers[i]);
    }
  }
}

template <typename T>
void ColumnDecoder::State::read(const StoredColumn& column, std::vector<T>& values,
                                const RecordBatch& batch) {
  const ColumnEntry& entry = column.entry;
  read_planes(column);
  values.resize(records);
  near = entry.predictor >= predictor::kOfColumn ? 0 : entry.base;
  on_device.fill(entry.base);
  for (std::size_t from = 0; from < records; from += kChunkRows) {
    const std::size_t count = std::min<std::size_t>(kChunkRows, records - from);
    numbers_from(entry, from, count);
    predict(entry, from, std::span{values}.subspan(from, count), batch);
  }
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if ((entry.flags & column_flag::kNullable) == 0) return;
    for (std::size_t i = 0; i < records; ++i) {
      if (nulls[i] != std::byte{0}) values[i] = kNoTime;
    }
  }
}

std::string ColumnDecoder::decode(std::span<const std::byte> payload, std::uint32_t records,
                                  std::uint32_t decoded_bytes, ColumnSet wanted,
                                  RecordBatch& batch) {
  State& state = *state_;
  try {
    std::uint64_t decoded = 0;
    state.directory = parse_directory(payload, records, decoded);
    if (decoded != decoded_bytes) throw BadColumn{"the columns' sizes do not add up"};
    state.records = records;
    const ColumnSet stored = columns_in(state.directory);
    wanted = wanted & stored;
    // A column comes after those it may need, so one pass from the last finds them all.
    ColumnSet needed = wanted;
    for (unsigned i = kColumnCount; i-- > 0;) {
      if (needed.has(static_cast<Column>(i))) {
        needed = needed | needed_for(state.directory[i]->entry);
        if ((needed & stored) != needed) throw BadColumn{"a column stands on one that is absent"};
      }
    }
    RecordBatch::for_each_column([&](Column column, auto vector, auto) {
      if (!needed.has(column)) return (batch.*vector).clear();
      state.read(*state.directory[static_cast<std::size_t>(column)], batch.*vector, batch);
    });
    std::uint8_t greatest_op = 0;
    for (const IoOp op : batch.op)
      greatest_op = std::max(greatest_op, static_cast<std::uint8_t>(op));
    if (greatest_op >= kIoOpCount) throw BadColumn{"an op that is none"};
    RecordBatch::for_each_column([&](Column column, auto vector, auto) {
      if (!wanted.has(column)) (batch.*vector).clear();
    });
    batch.present = wanted;
    batch.resize(records);
    return {};
  } catch (const BadColumn& bad) {
    batch.reset({});
    return bad.what;
  }
}

ColumnSet columns_of(std::span<const std::byte> payload) {
  try {
    std::uint64_t decoded = 0;
    return columns_in(parse_directory(payload, 0, decoded));
  } catch (const BadColumn&) {
    return {};
  }
}

}  // namespace rigel::rgt
