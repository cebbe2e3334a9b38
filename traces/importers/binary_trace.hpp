// A binary trace of records of one size: bytes in, a format's RecordDecoder for every record,
// batches out. A cut last record becomes Damage with its offset. One thread; next() throws what
// the source and the decoder throw.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "traces/byte_source.hpp"
#include "traces/trace_source.hpp"

namespace rigel {

// An integer as it lies in a file.
template <typename T>
[[nodiscard]] inline T load(const std::byte* from, std::endian order) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if (order == std::endian::native) return value;
  if constexpr (sizeof(T) == 2)
    return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
  if constexpr (sizeof(T) == 4)
    return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
}
template <typename T>
[[nodiscard]] inline T load_le(const std::byte* from) {
  return load<T>(from, std::endian::little);
}

class RecordDecoder {
 public:
  virtual ~RecordDecoder() = default;
  [[nodiscard]] virtual std::size_t record_bytes() const = 0;
  [[nodiscard]] virtual ColumnSet columns() const = 0;
  // Decodes record `index`. Sets `refusal` to say why it is not one; it is then passed over.
  [[nodiscard]] virtual IoRecord decode(const std::byte* from, std::string& refusal,
                                        TraceTables& tables) = 0;
};

class BinaryTrace final : public TraceSource {
 public:
  static constexpr std::size_t kListedDamage = 100;

  BinaryTrace(std::unique_ptr<ByteSource> input, std::unique_ptr<RecordDecoder> decoder,
              std::string source_name, ColumnSet columns);

  bool next(RecordBatch& batch) override;
  [[nodiscard]] const TraceTables& tables() const override { return tables_; }

 private:
  std::unique_ptr<ByteSource> input_;
  std::unique_ptr<RecordDecoder> decoder_;
  ColumnSet wanted_;
  TraceTables tables_;
  std::vector<std::byte> buffer_;
  std::vector<IoRecord> records_;
  std::uint64_t offset_bytes_ = 0;
  std::uint64_t refused_ = 0;
  bool finished_ = false;
};

}  // namespace rigel
