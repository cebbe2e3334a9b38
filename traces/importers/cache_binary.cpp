// Binary traces of cache simulators, without a header: recognised by what their first records say.
//   cache2k's .trc.bin: 32-bit big-endian page numbers (java.io.DataOutput)
//   libCacheSim's oracleGeneral: packed little-endian records of 24 bytes: u32 time in seconds,
//   u64 object, u32 size in bytes, i64 index of the next request for the object or -1. For block
//   traces the object is a page number.
// Page n lies at n times the record page (4 KiB unless said otherwise).
#include <unordered_map>

#include "traces/importers/binary_trace.hpp"
#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/importers/text_fields.hpp"

namespace rigel {
namespace {

class Cache2kDecoder final : public RecordDecoder {
 public:
  explicit Cache2kDecoder(const OpenOptions& options) : page_bytes_{options.record_page_bytes} {}
  [[nodiscard]] std::size_t record_bytes() const override { return 4; }
  [[nodiscard]] ColumnSet columns() const override { return {Column::kOffset, Column::kLength}; }
  IoRecord decode(const std::byte* from, std::string&, TraceTables&) override {
    IoRecord record;
    record.offset_bytes = std::uint64_t{load<std::uint32_t>(from, std::endian::big)} * page_bytes_;
    record.length_bytes = page_bytes_;
    return record;
  }

 private:
  std::uint32_t page_bytes_;
};

// Page numbers of a small device: 32-bit words whose upper byte is mostly 0 and lower one mostly
// not. Binary data of other kinds has no such look; text has no zeros.
bool is_cache2k(const SniffInput& input) {
  const std::size_t words = input.head.size() / 4;
  if (words < 64 || (input.head.size() < (std::size_t{64} << 10) && input.head.size() % 4 != 0)) {
    return false;
  }
  std::size_t small = 0;
  std::size_t odd = 0;
  for (std::size_t i = 0; i < words; ++i) {
    small += input.head[4 * i] == std::byte{0} ? 1 : 0;
    odd += input.head[4 * i + 3] != std::byte{0} ? 1 : 0;
  }
  return small == words && odd * 10 > words * 9;
}

struct OracleRecord {
  explicit OracleRecord(const std::byte* from)
      : time_s{load_le<std::uint32_t>(from)},
        object{load_le<std::uint64_t>(from + 4)},
        size{load_le<std::uint32_t>(from + 12)},
        next{load_le<std::int64_t>(from + 16)} {}
  static constexpr std::size_t kBytes = 24;
  std::uint32_t time_s;
  std::uint64_t object;
  std::uint32_t size;
  std::int64_t next;
};

class OracleDecoder final : public RecordDecoder {
 public:
  explicit OracleDecoder(const OpenOptions& options)
      : page_bytes_{options.record_page_bytes}, unit_ns_{kNsPerSecond} {
    if (options.time_unit) unit_ns_ = time_unit_ns(*options.time_unit);
  }
  [[nodiscard]] std::size_t record_bytes() const override { return OracleRecord::kBytes; }
  [[nodiscard]] ColumnSet columns() const override {
    return {Column::kQueue, Column::kOffset, Column::kLength};
  }
  IoRecord decode(const std::byte* from, std::string& refusal, TraceTables& tables) override {
    const OracleRecord raw{from};
    IoRecord record;
    if (raw.object >= (std::uint64_t{1} << 63) / page_bytes_) {
      refusal = "its object times the record page lies beyond 2^63 bytes";
      return record;
    }
    if (first_s_ < 0) {
      first_s_ = raw.time_s;
      if (raw.time_s > kYear2001S) tables.meta.start_wall_ns = first_s_ * unit_ns_;
    }
    record.queue_ns = (raw.time_s - first_s_) * unit_ns_;
    record.offset_bytes = raw.object * page_bytes_;
    record.length_bytes = raw.size;
    return record;
  }

 private:
  static constexpr std::int64_t kYear2001S = 978'307'200;
  std::uint32_t page_bytes_;
  std::int64_t unit_ns_;
  std::int64_t first_s_ = -1;
};

// Times never fall, and the next request for an object is where the record says, as far as the
// head reaches.
bool is_oracle(const SniffInput& input) {
  const std::size_t count = input.head.size() / OracleRecord::kBytes;
  if (count == 0) return false;
  std::unordered_map<std::int64_t, std::uint64_t> expected;  // index -> object
  std::uint32_t time_s = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const OracleRecord raw{input.head.data() + i * OracleRecord::kBytes};
    const auto index = static_cast<std::int64_t>(i);
    if (i != 0 && raw.time_s < time_s) return false;
    time_s = raw.time_s;
    const auto promised = expected.find(index);
    if (promised != expected.end() && promised->second != raw.object) return false;
    const bool never = raw.next == -1 || raw.next == std::numeric_limits<std::int64_t>::max();
    if (!never && (raw.next <= index || raw.next >= (std::int64_t{1} << 40))) return false;
    if (!never) expected.emplace(raw.next, raw.object);
  }
  return true;
}

template <typename Decoder>
std::unique_ptr<TraceSource> open(std::vector<std::unique_ptr<ByteSource>> inputs,
                                  const OpenOptions& options, const char* name) {
  return std::make_unique<BinaryTrace>(only_input(std::move(inputs), name),
                                       std::make_unique<Decoder>(options), name, options.columns);
}

}  // namespace

namespace import {
const Importer kCache2k{
    "cache2k", "cache2k binary, 32-bit page numbers", is_cache2k,
    [](std::vector<std::unique_ptr<ByteSource>> inputs, const OpenOptions& options) {
      return open<Cache2kDecoder>(std::move(inputs), options, "cache2k");
    }};
const Importer kOracleGeneral{
    "oracleGeneral", "libCacheSim oracleGeneral", is_oracle,
    [](std::vector<std::unique_ptr<ByteSource>> inputs, const OpenOptions& options) {
      return open<OracleDecoder>(std::move(inputs), options, "oracleGeneral");
    }};
}  // namespace import

}  // namespace rigel
