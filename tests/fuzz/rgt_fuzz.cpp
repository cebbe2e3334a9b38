// Any bytes at all are read without a crash, a hang, a bad index or memory beyond the format's
// limits; once as they are, and once with the checksums put right, so that what lies behind them
// is reached too.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "traces/error.hpp"
#include "traces/format.hpp"
#include "traces/trace_reader.hpp"

namespace {

using namespace rigel;

void require(bool good) {
  if (!good) std::abort();
}

void read_all(std::span<const std::byte> bytes, const TraceReaderOptions& options) {
  try {
    TraceReader reader{memory_source(bytes, "input"), options};
    RecordBatch batch;
    while (reader.next(batch)) {
      require(batch.size() > 0 && batch.size() <= rgt::kMaxRecordsPerBlock);
      for (const std::uint32_t device : batch.device) {
        require(device < reader.tables().devices.size());
      }
      for (const std::uint32_t stream : batch.stream) {
        require(stream < reader.tables().streams.size());
      }
    }
    std::uint64_t end = 0;
    for (const Damage& damage : reader.tables().damage) {
      require(!damage.reason.empty());
      require(damage.offset_bytes >= end || damage.offset_bytes < bytes.size());
      end = damage.offset_bytes + damage.length_bytes;
      require(end <= bytes.size());
    }
  } catch (const Error&) {
    // Bytes that are no trace are refused.
  }
}

// Makes every block that the bytes seem to hold pass its checksums.
void put_checksums_right(std::vector<std::byte>& bytes) {
  std::size_t at = 0;
  while (true) {
    at += rgt::find_magic(std::span{bytes}.subspan(at));
    if (bytes.size() - at < rgt::kHeaderBytes) return;
    rgt::BlockHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    header.header_bytes = rgt::kHeaderBytes;
    const std::size_t rest = bytes.size() - at - rgt::kHeaderBytes;
    if (header.payload_bytes > rest) header.payload_bytes = static_cast<std::uint32_t>(rest);
    header.payload_checksum =
        rgt::checksum(std::span{bytes}.subspan(at + rgt::kHeaderBytes, header.payload_bytes));
    const auto sealed = rgt::seal(header);
    std::memcpy(bytes.data() + at, sealed.data(), sealed.size());
    at += rgt::kHeaderBytes + header.payload_bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size != 0) std::memcpy(bytes.data(), data, size);
  read_all(bytes, {});
  put_checksums_right(bytes);
  read_all(bytes, {});
  read_all(bytes, {{Column::kOffset}, 0, 1'000'000});
  return 0;
}
