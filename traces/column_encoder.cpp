#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "traces/column_codec.hpp"
#include "traces/column_layout.hpp"
#include "traces/error.hpp"

namespace rigel::rgt {

struct ColumnEncoder::State {
  explicit State(int compression_level) : level{compression_level} {}
  ~State() { ZSTD_freeCCtx(context); }

  template <typename T>
  void add(Column column, const std::vector<T>& values, std::vector<std::byte>& payload);
  template <typename T>
  void difference(const std::vector<T>& values, ColumnEntry& entry);
  void scale(ColumnEntry& entry);
  void store_planes(ColumnEntry& entry, std::vector<std::byte>& payload);
  void store_plane(std::span<const std::byte> plane, std::vector<std::byte>& payload);

  ZSTD_CCtx* context = ZSTD_createCCtx();
  int level;
  const RecordBatch* batch = nullptr;
  std::vector<std::int64_t> reference;  // of the column under way, when another column is
  std::vector<std::uint64_t> numbers;
  std::vector<std::byte> nulls;  // 1 where the column under way has kNoTime
  std::vector<std::byte> planes;
  std::vector<ColumnEntry> directory;
  std::uint32_t decoded_bytes = 0;
};

ColumnEncoder::ColumnEncoder(int compression_level)
    : state_{std::make_unique<State>(compression_level)} {}
ColumnEncoder::~ColumnEncoder() = default;

namespace {

// The column that `column`'s values are near to, row by row.
std::uint8_t predictor_of(Column column, ColumnSet present) {
  const auto first_of = [&](std::initializer_list<Column> candidates) {
    for (const Column candidate : candidates) {
      if (present.has(candidate)) {
        return static_cast<std::uint8_t>(predictor::kOfColumn + static_cast<unsigned>(candidate));
      }
    }
    return predictor::kPrevious;
  };
  switch (column) {
    case Column::kQueue:
    case Column::kOffset:
      return predictor::kPrevious;
    case Column::kIssue:
      return first_of({Column::kQueue});
    case Column::kComplete:
      return first_of({Column::kIssue, Column::kQueue});
    default:
      return predictor::kBase;
  }
}

const std::vector<std::int64_t>& time_column(const RecordBatch& batch, std::uint8_t predictor) {
  return predictor == predictor::kOfColumn + static_cast<unsigned>(Column::kIssue) ? batch.issue_ns
                                                                                   : batch.queue_ns;
}

}  // namespace

// numbers = value - what predicts it; 0 where the value is kNoTime.
template <typename T>
void ColumnEncoder::State::difference(const std::vector<T>& values, ColumnEntry& entry) {
  numbers.resize(values.size());
  const auto subtract = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
  };
  constexpr bool kIsTime = std::is_same_v<T, std::int64_t>;
  const auto known = [](T value) {
    if constexpr (kIsTime) return value != kNoTime;
    return true;
  };
  const bool nullable = !std::all_of(values.begin(), values.end(), known);
  if (nullable) {
    entry.flags |= column_flag::kNullable;
    nulls.resize(values.size());
    std::transform(values.begin(), values.end(), nulls.begin(),
                   [&](T value) { return known(value) ? std::byte{0} : std::byte{1}; });
  }
  std::int64_t near = 0;
  if (entry.predictor == predictor::kPrevious) {
    const auto first = std::find_if(values.begin(), values.end(), known);
    near = first == values.end() ? 0 : static_cast<std::int64_t>(*first);
    entry.base = static_cast<std::uint64_t>(near);
  }
  const std::vector<std::int64_t>* other = nullptr;
  if (entry.predictor >= predictor::kOfColumn) other = &time_column(*batch, entry.predictor);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (other != nullptr && (*other)[i] != kNoTime) near = (*other)[i];
    if (!known(values[i])) {
      numbers[i] = 0;
      continue;
    }
    const auto value = static_cast<std::int64_t>(values[i]);
    numbers[i] = subtract(value, near);
    if (entry.predictor == predictor::kPrevious) near = value;
  }
}

// Takes base, unit and sign out of the numbers, so that what remains is small and not negative.
void ColumnEncoder::State::scale(ColumnEntry& entry) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::uint64_t number : numbers) {
    least = std::min(least, static_cast<std::int64_t>(number));
  }
  const bool with_base = entry.predictor == predictor::kBase && least >= 0;
  if (with_base) entry.base = static_cast<std::uint64_t>(least);
  if (least < 0) entry.flags |= column_flag::kSigned;
  const std::uint64_t base = with_base ? entry.base : 0;
  const auto magnitude = [](std::uint64_t number) {
    return static_cast<std::int64_t>(number) < 0 ? 0 - number : number;
  };
  std::uint64_t unit = 0;
  for (std::uint64_t& number : numbers) {
    number -= base;
    if (unit == 0 || magnitude(number) % unit != 0) unit = std::gcd(unit, magnitude(number));
  }
  entry.unit = std::max<std::uint64_t>(unit, 1);
  for (std::uint64_t& number : numbers) {
    const std::uint64_t scaled = magnitude(number) / entry.unit;
    number = static_cast<std::int64_t>(number) < 0 ? 0 - scaled : scaled;
    if (least < 0) number = zigzag(static_cast<std::int64_t>(number));
  }
}

void ColumnEncoder::State::store_plane(std::span<const std::byte> plane,
                                       std::vector<std::byte>& payload) {
  const std::size_t size_at = payload.size();
  const bool constant = std::all_of(plane.begin(), plane.end(),
                                    [&](std::byte value) { return value == plane.front(); });
  std::size_t stored = constant ? 1 : plane.size();
  payload.resize(size_at + sizeof(std::uint32_t) + ZSTD_compressBound(plane.size()));
  std::byte* const into = payload.data() + size_at + sizeof(std::uint32_t);
  if (!constant) {
    const std::size_t compressed =
        ZSTD_compressCCtx(context, into, payload.size() - size_at - sizeof(std::uint32_t),
                          plane.data(), plane.size(), level);
    if (ZSTD_isError(compressed) != 0) throw Error{ZSTD_getErrorName(compressed)};
    stored = std::min(stored, compressed);
  }
  if (stored == 1 || stored == plane.size()) std::memcpy(into, plane.data(), stored);
  const auto size = static_cast<std::uint32_t>(stored);
  std::memcpy(payload.data() + size_at, &size, sizeof size);
  payload.resize(size_at + sizeof size + stored);
}

void ColumnEncoder::State::store_planes(ColumnEntry& entry, std::vector<std::byte>& payload) {
  std::uint64_t all = 0;
  for (const std::uint64_t number : numbers) all |= number;
  entry.width = static_cast<std::uint8_t>((std::bit_width(all) + 7) / 8);
  const std::size_t before = payload.size();
  const std::size_t count = numbers.size();
  std::size_t stored_planes = entry.width;
  if ((entry.flags & column_flag::kNullable) != 0) {
    store_plane(nulls, payload);
    ++stored_planes;
  }
  planes.resize(count);
  for (unsigned plane = 0; plane < entry.width; ++plane) {
    for (std::size_t i = 0; i < count; ++i) {
      planes[i] = static_cast<std::byte>(numbers[i] >> (8 * plane));
    }
    store_plane(planes, payload);
  }
  entry.stored_bytes = static_cast<std::uint32_t>(payload.size() - before);
  decoded_bytes += static_cast<std::uint32_t>(stored_planes * count);
}

template <typename T>
void ColumnEncoder::State::add(Column column, const std::vector<T>& values,
                               std::vector<std::byte>& payload) {
  ColumnEntry entry;
  entry.column = static_cast<std::uint8_t>(column);
  entry.predictor = predictor_of(column, batch->present);
  difference(values, entry);
  scale(entry);
  store_planes(entry, payload);
  directory.push_back(entry);
}

std::uint32_t ColumnEncoder::encode(const RecordBatch& batch, std::vector<std::byte>& payload) {
  State& state = *state_;
  state.batch = &batch;
  state.directory.clear();
  state.decoded_bytes = 0;
  const auto columns = static_cast<std::uint16_t>(std::popcount(batch.present.bits()));
  const std::size_t directory_bytes = sizeof(ColumnEntry) * columns;
  payload.assign(sizeof(DirectoryHeader) + directory_bytes, std::byte{});
  RecordBatch::for_each_column([&](Column column, auto vector, auto) {
    if (batch.present.has(column)) state.add(column, batch.*vector, payload);
  });
  const DirectoryHeader header{columns, sizeof(ColumnEntry), 0};
  std::memcpy(payload.data(), &header, sizeof header);
  if (columns != 0) {
    std::memcpy(payload.data() + sizeof header, state.directory.data(), directory_bytes);
  }
  return state.decoded_bytes;
}

}  // namespace rigel::rgt
