#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "traces/column_codec.hpp"
#include "traces/column_layout.hpp"
#include "traces/error.hpp"

namespace rigel::rgt {

namespace {
constexpr int kQuickLevel = 1;
}  // namespace

struct ColumnEncoder::State {
  explicit State(int compression_level) : level{compression_level} {}
  ~State() { ZSTD_freeCCtx(context); }

  template <typename T>
  void add(Column column, const std::vector<T>& values, std::vector<std::byte>& payload);
  template <typename T>
  void note_nulls(const std::vector<T>& values, ColumnEntry& entry);
  template <typename T>
  void difference(const std::vector<T>& values, ColumnEntry& entry);
  void scale(ColumnEntry& entry);
  void store_planes(ColumnEntry& entry, std::vector<std::byte>& payload);
  std::size_t compress(std::span<const std::byte> bytes, int with_level,
                       std::vector<std::byte>& into);
  void store_plane(std::span<const std::byte> bytes, std::vector<std::byte>& payload);

  ZSTD_CCtx* context = ZSTD_createCCtx();
  int level;
  const RecordBatch* batch = nullptr;
  // Of the column under way:
  std::vector<std::uint64_t> numbers;
  std::vector<std::byte> nulls;  // 1 where a time is kNoTime
  std::vector<std::byte> plane;
  std::vector<std::byte> quick;  // the plane compressed by kQuickLevel
  std::vector<std::byte> thorough;
  // Of the block under way:
  std::vector<ColumnEntry> directory;
  std::uint32_t decoded_bytes = 0;
};

ColumnEncoder::ColumnEncoder(int compression_level)
    : state_{std::make_unique<State>(compression_level)} {}
ColumnEncoder::~ColumnEncoder() = default;

namespace {

std::uint64_t magnitude(std::uint64_t number) {
  return number >> 63 != 0 ? 0 - number : number;
}

// Divisions of 32 bits are several times faster, and the numbers are small more often than not.
std::uint64_t quotient(std::uint64_t number, std::uint64_t unit) {
  if (((number | unit) >> 32) != 0) return number / unit;
  return static_cast<std::uint32_t>(number) / static_cast<std::uint32_t>(unit);
}

// The greatest number that divides all of them.
std::uint64_t common_unit(std::span<const std::uint64_t> numbers) {
  std::uint64_t unit = 0;
  for (const std::uint64_t number : numbers) {
    const std::uint64_t size = magnitude(number);
    if (unit != 0 && quotient(size, unit) * unit == size) continue;
    unit = std::gcd(unit, size);
    if (unit == 1) break;
  }
  return std::max<std::uint64_t>(unit, 1);
}

// Bits a number takes when each of its bytes is coded by how often it occurs in its place
// (Shannon's entropy of order 0), which is what zstd makes of planes without repetitions.
double plane_bits(std::span<const std::uint64_t> numbers) {
  std::array<std::array<std::uint32_t, 256>, 8> counts{};
  for (const std::uint64_t number : numbers) {
    for (unsigned plane = 0; plane < 8; ++plane) ++counts[plane][(number >> (8 * plane)) & 0xff];
  }
  const auto total = static_cast<double>(numbers.size());
  double bits = 0;
  for (const auto& plane : counts) {
    for (const std::uint32_t count : plane) {
      if (count != 0) bits -= count / total * std::log2(count / total);
    }
  }
  return bits;
}

// Which predictor makes the offsets small, judged by every eighth of them. Addresses that come
// again and again do best as they are, runs as differences, and runs on several devices at once as
// differences within a device.
std::uint8_t offset_predictor(const RecordBatch& batch) {
  constexpr std::size_t kStep = 8;
  std::array<std::vector<std::uint64_t>, 3> candidates;
  const std::uint64_t first = batch.offset_bytes.empty() ? 0 : batch.offset_bytes.front();
  std::uint64_t previous = first;
  std::array<std::uint64_t, kDeviceSlots> on_device;
  on_device.fill(first);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::uint64_t offset = batch.offset_bytes[i];
    const bool sampled = i % kStep == 0;
    if (sampled) {
      candidates[predictor::kBase].push_back(offset);
      candidates[predictor::kPrevious].push_back(zigzag(offset - previous));
    }
    previous = offset;
    if (batch.device.empty()) continue;
    std::uint64_t& near = on_device[batch.device[i] % kDeviceSlots];
    if (sampled) candidates[predictor::kPreviousOnDevice].push_back(zigzag(offset - near));
    near = offset;
  }
  std::uint8_t best = predictor::kBase;
  double best_bits = plane_bits(candidates[predictor::kBase]);
  for (const std::uint8_t each : {predictor::kPrevious, predictor::kPreviousOnDevice}) {
    if (candidates[each].empty()) continue;
    const double bits = plane_bits(candidates[each]);
    if (bits < best_bits) {
      best = each;
      best_bits = bits;
    }
  }
  return best;
}

std::uint8_t predictor_of(Column column, const RecordBatch& batch) {
  const auto first_of = [&](std::initializer_list<Column> candidates) {
    for (const Column candidate : candidates) {
      if (batch.present.has(candidate)) {
        return static_cast<std::uint8_t>(predictor::kOfColumn + static_cast<unsigned>(candidate));
      }
    }
    return predictor::kPrevious;
  };
  switch (column) {
    case Column::kQueue:
      return predictor::kPrevious;
    case Column::kIssue:
      return first_of({Column::kQueue});
    case Column::kComplete:
      return first_of({Column::kIssue, Column::kQueue});
    case Column::kOffset:
      return offset_predictor(batch);
    default:
      return predictor::kBase;
  }
}

}  // namespace

template <typename T>
void ColumnEncoder::State::note_nulls(const std::vector<T>& values, ColumnEntry& entry) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (std::find(values.begin(), values.end(), kNoTime) == values.end()) return;
    entry.flags |= column_flag::kNullable;
    nulls.resize(values.size());
    std::transform(values.begin(), values.end(), nulls.begin(),
                   [](std::int64_t time) { return time == kNoTime ? std::byte{1} : std::byte{0}; });
  }
}

// numbers = value - prediction, modulo 2^64; 0 for a time that is not known.
template <typename T>
void ColumnEncoder::State::difference(const std::vector<T>& values, ColumnEntry& entry) {
  const std::size_t count = values.size();
  numbers.resize(count);
  // Signed types are extended to 64 bits by their sign.
  const auto wide = [&](std::size_t i) { return static_cast<std::uint64_t>(values[i]); };
  const bool nullable = (entry.flags & column_flag::kNullable) != 0;
  const auto known = [&](std::size_t i) { return !nullable || nulls[i] == std::byte{0}; };
  if (entry.predictor == predictor::kBase) {
    for (std::size_t i = 0; i < count; ++i) numbers[i] = wide(i);
  } else if (entry.predictor == predictor::kPreviousOnDevice) {
    entry.base = count == 0 ? 0 : wide(0);
    std::array<std::uint64_t, kDeviceSlots> on_device;
    on_device.fill(entry.base);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t& near = on_device[batch->device[i] % kDeviceSlots];
      numbers[i] = wide(i) - near;
      near = wide(i);
    }
  } else if (entry.predictor == predictor::kPrevious) {
    std::size_t first = 0;
    while (first < count && !known(first)) ++first;
    entry.base = first == count ? 0 : wide(first);
    std::uint64_t near = entry.base;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t value = known(i) ? wide(i) : near;
      numbers[i] = value - near;
      near = value;
    }
  } else {
    const auto other = static_cast<Column>(entry.predictor - predictor::kOfColumn);
    const auto& reference = other == Column::kIssue ? batch->issue_ns : batch->queue_ns;
    std::uint64_t near = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (reference[i] != kNoTime) near = static_cast<std::uint64_t>(reference[i]);
      numbers[i] = known(i) ? wide(i) - near : 0;
    }
  }
}

// Takes base, unit and sign out of the numbers, so that what remains is small and not negative.
void ColumnEncoder::State::scale(ColumnEntry& entry) {
  std::int64_t least = 0;
  if (!numbers.empty()) least = static_cast<std::int64_t>(numbers.front());
  for (const std::uint64_t number : numbers) {
    least = std::min(least, static_cast<std::int64_t>(number));
  }
  const bool is_signed = least < 0;
  if (entry.predictor == predictor::kBase && !is_signed && least != 0) {
    entry.base = static_cast<std::uint64_t>(least);
    for (std::uint64_t& number : numbers) number -= entry.base;
  }
  entry.unit = common_unit(numbers);
  if (entry.unit != 1) {
    for (std::uint64_t& number : numbers) {
      const std::uint64_t scaled = quotient(magnitude(number), entry.unit);
      number = number >> 63 != 0 ? 0 - scaled : scaled;
    }
  }
  if (is_signed) {
    entry.flags |= column_flag::kSigned;
    for (std::uint64_t& number : numbers) number = zigzag(number);
  }
}

// A plane of n bytes is stored as a size and that many bytes: 1, the byte that all of it is; n, the
// plane as it is; anything else, a zstd frame.
std::size_t ColumnEncoder::State::compress(std::span<const std::byte> bytes, int with_level,
                                           std::vector<std::byte>& into) {
  into.resize(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compressCCtx(context, into.data(), into.size(), bytes.data(), bytes.size(), with_level);
  if (ZSTD_isError(size) != 0) throw Error{ZSTD_getErrorName(size)};
  into.resize(size);
  return size;
}

// Appends the plane in the smallest of the ways there are. Most planes are either noise, which is
// not worth a reader's time, or a skewed distribution without repetitions, of which zstd's fastest
// level makes most; only what has repetitions gains by a slower one.
void ColumnEncoder::State::store_plane(std::span<const std::byte> bytes,
                                       std::vector<std::byte>& payload) {
  const std::size_t count = bytes.size();
  std::span<const std::byte> stored = bytes;
  if (std::memcmp(bytes.data(), bytes.data() + 1, count - 1) == 0) {
    stored = bytes.first(1);
  } else if (compress(bytes, kQuickLevel, quick) < count - count / 64) {
    stored = quick;
    const bool worth_more = quick.size() < count - count / 4 && level > kQuickLevel;
    if (worth_more && compress(bytes, level, thorough) < quick.size()) stored = thorough;
  }
  const auto size = static_cast<std::uint32_t>(stored.size());
  const auto* const size_bytes = reinterpret_cast<const std::byte*>(&size);
  payload.insert(payload.end(), size_bytes, size_bytes + sizeof size);
  payload.insert(payload.end(), stored.begin(), stored.end());
}

void ColumnEncoder::State::store_planes(ColumnEntry& entry, std::vector<std::byte>& payload) {
  const std::size_t before = payload.size();
  const std::size_t count = numbers.size();
  std::size_t stored_planes = 0;
  if ((entry.flags & column_flag::kNullable) != 0) {
    store_plane(nulls, payload);
    ++stored_planes;
  }
  std::uint64_t all = 0;
  for (const std::uint64_t number : numbers) all |= number;
  entry.width = static_cast<std::uint8_t>((std::bit_width(all) + 7) / 8);
  plane.resize(count);
  for (unsigned shift = 0; shift < entry.width * 8U; shift += 8) {
    for (std::size_t i = 0; i < count; ++i) plane[i] = static_cast<std::byte>(numbers[i] >> shift);
    store_plane(plane, payload);
    ++stored_planes;
  }
  entry.stored_bytes = static_cast<std::uint32_t>(payload.size() - before);
  decoded_bytes += static_cast<std::uint32_t>(stored_planes * count);
}

template <typename T>
void ColumnEncoder::State::add(Column column, const std::vector<T>& values,
                               std::vector<std::byte>& payload) {
  ColumnEntry entry;
  entry.column = static_cast<std::uint8_t>(column);
  entry.predictor = predictor_of(column, *batch);
  note_nulls(values, entry);
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
