// VMware's vscsiStats traces, versions 1 and 2: fixed little-endian records without a header. A
// record holds its version in the upper byte of `ver`. Times are microseconds since the host
// started, addresses sectors of 512 bytes, lengths bytes; version 2 adds the response time.
#include "traces/importers/binary_trace.hpp"
#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/importers/text_fields.hpp"

namespace rigel {
namespace {

struct Layout {
  std::uint16_t version;
  std::size_t record_bytes, cmd, ver, length, lbn, time, response;  // offsets; 0: no such field
};
constexpr Layout kVersion1{1, 32, 12, 14, 4, 16, 24, 0};
constexpr Layout kVersion2{2, 40, 0, 2, 8, 16, 24, 32};

// Operation codes of SCSI block commands (SBC-3).
IoOp op_of(std::uint16_t cmd) {
  switch (cmd & 0xff) {
    case 0x08:  // READ(6), (10), (12), (16)
    case 0x28:
    case 0xa8:
    case 0x88:
      return IoOp::kRead;
    case 0x0a:  // WRITE(6), (10), (12), (16)
    case 0x2a:
    case 0xaa:
    case 0x8a:
      return IoOp::kWrite;
    case 0x35:  // SYNCHRONIZE CACHE(10), (16)
    case 0x91:
      return IoOp::kFlush;
    case 0x42:  // UNMAP
      return IoOp::kDiscard;
    case 0x41:  // WRITE SAME(10), (16)
    case 0x93:
      return IoOp::kWriteZeroes;
    default:
      return IoOp::kOther;
  }
}

class VscsiDecoder final : public RecordDecoder {
 public:
  VscsiDecoder(const Layout& layout, std::int64_t unit_ns) : layout_{layout}, unit_ns_{unit_ns} {}

  [[nodiscard]] std::size_t record_bytes() const override { return layout_.record_bytes; }
  [[nodiscard]] ColumnSet columns() const override {
    ColumnSet set{Column::kQueue, Column::kOffset, Column::kLength, Column::kOp};
    if (layout_.response != 0) set.add(Column::kComplete);
    return set;
  }
  IoRecord decode(const std::byte* from, std::string& refusal, TraceTables& tables) override {
    IoRecord record;
    if (load_le<std::uint16_t>(from + layout_.ver) >> 8 != layout_.version) {
      refusal = "no record of this version";
      return record;
    }
    const auto sector = load_le<std::uint64_t>(from + layout_.lbn);
    const auto time = load_le<std::uint64_t>(from + layout_.time);
    const std::uint64_t most = (std::uint64_t{1} << 62) / static_cast<std::uint64_t>(unit_ns_);
    if (sector >= (std::uint64_t{1} << 54)) refusal = "its address lies beyond 2^63 bytes";
    if (time >= most) refusal = "its time is too large";
    if (!refusal.empty()) return record;
    const auto absolute_ns = static_cast<std::int64_t>(time) * unit_ns_;
    if (first_ns_ == kNoTime) {
      first_ns_ = absolute_ns;
      tables.meta.extra["first_time_ns"] = std::to_string(absolute_ns);
    }
    record.queue_ns = absolute_ns - first_ns_;
    record.offset_bytes = sector * kSectorBytes;
    record.length_bytes = load_le<std::uint32_t>(from + layout_.length);
    record.op = op_of(load_le<std::uint16_t>(from + layout_.cmd));
    if (layout_.response != 0) {
      const auto response = load_le<std::uint64_t>(from + layout_.response);
      if (response != 0 && response < most) {
        record.complete_ns = record.queue_ns + static_cast<std::int64_t>(response) * unit_ns_;
      }
    }
    return record;
  }

 private:
  const Layout& layout_;
  std::int64_t unit_ns_;
  std::int64_t first_ns_ = kNoTime;
};

// The head's first records must all carry the version, a block command and a believable length.
bool is_version(std::span<const std::byte> head, const Layout& layout) {
  constexpr std::size_t kRecords = 64;
  std::size_t seen = 0;
  for (; seen < kRecords && head.size() >= layout.record_bytes; ++seen) {
    const auto ver = load_le<std::uint16_t>(head.data() + layout.ver);
    const auto cmd = load_le<std::uint16_t>(head.data() + layout.cmd);
    const auto length = load_le<std::uint32_t>(head.data() + layout.length);
    if (ver >> 8 != layout.version || cmd > 0xff || length > (1U << 28)) return false;
    head = head.subspan(layout.record_bytes);
  }
  return seen != 0;
}

template <const Layout& kLayout>
bool sniff(const SniffInput& input) {
  return is_version(input.head, kLayout);
}

template <const Layout& kLayout>
std::unique_ptr<TraceSource> open(std::vector<std::unique_ptr<ByteSource>> inputs,
                                  const OpenOptions& options) {
  return std::make_unique<BinaryTrace>(
      only_input(std::move(inputs), "VSCSI"),
      std::make_unique<VscsiDecoder>(kLayout, time_unit_ns(options.time_unit.value_or("us"))),
      kLayout.version == 1 ? "VSCSI version 1" : "VSCSI version 2", options.columns);
}

}  // namespace

namespace import {
const Importer kVscsi1{"vscsi1", "VMware vscsiStats trace, version 1", sniff<kVersion1>,
                       open<kVersion1>};
const Importer kVscsi2{"vscsi2", "VMware vscsiStats trace, version 2", sniff<kVersion2>,
                       open<kVersion2>};
}  // namespace import

}  // namespace rigel
