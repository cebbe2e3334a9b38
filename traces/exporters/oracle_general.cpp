// libCacheSim's oracleGeneral: packed little-endian records of u32 time in seconds, u64 object, u32
// size, i64 index of the next request for the object or -1, for reads and writes that move data.
// The object is offset / record page; those of device n lie n x 2^44 objects further on, so that
// no two devices share one. The next request is only known at the end: the file is written with -1,
// then gone through backwards, with memory for each distinct object.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "traces/byte_sink.hpp"
#include "traces/error.hpp"
#include "traces/exporters/exporter_list.hpp"

namespace rigel {
namespace {

constexpr std::size_t kRecordBytes = 24;
constexpr std::size_t kObjectAt = 4;
constexpr std::size_t kNextAt = 16;
constexpr std::size_t kRecordsAtOnce = 32768;
constexpr unsigned kDeviceShift = 44;

class File {
 public:
  explicit File(const std::string& path)
      : path_{path}, descriptor_{::open(path.c_str(), O_RDWR | O_CLOEXEC)} {
    if (descriptor_ < 0) throw system_error(path_, "open", errno);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor_); }

  void read(std::span<std::byte> into, std::uint64_t offset) const {
    transfer(into.size(), offset, "read", [&](std::size_t done, off_t at) {
      return ::pread(descriptor_, into.data() + done, into.size() - done, at);
    });
  }
  void write(std::span<const std::byte> from, std::uint64_t offset) const {
    transfer(from.size(), offset, "write", [&](std::size_t done, off_t at) {
      return ::pwrite(descriptor_, from.data() + done, from.size() - done, at);
    });
  }

 private:
  template <typename Call>
  void transfer(std::size_t size, std::uint64_t offset, const char* what, Call call) const {
    for (std::size_t done = 0; done < size;) {
      const ssize_t count = call(done, static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw system_error(path_, what, count < 0 ? errno : EIO);
      done += static_cast<std::size_t>(count);
    }
  }
  std::string path_;
  int descriptor_;
};

class OracleGeneralSink final : public TraceSink {
 public:
  OracleGeneralSink(const std::string& path, std::uint32_t page_bytes)
      : path_{path}, page_bytes_{std::max<std::uint32_t>(page_bytes, 1)} {
    struct stat status {};
    if (path == "-" || (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))) {
      throw UsageError{path + ": oracleGeneral is written twice over and needs a regular file"};
    }
    out_ = create_file(path);
  }

  void write(const RecordBatch& batch, const TraceTables& tables) override {
    for (std::size_t row = 0; row < batch.size(); ++row) {
      const IoRecord record = batch.record(row);
      if (record.length_bytes == 0 || (record.op != IoOp::kRead && record.op != IoOp::kWrite)) {
        continue;
      }
      append(record, tables.meta.start_wall_ns);
    }
    out_->write(buffer_);
    buffer_.clear();
  }

  void finish(const TraceTables&) override {
    out_->close();
    const File file{path_};
    std::unordered_map<std::uint64_t, std::int64_t> next_of;  // object -> index of its request
    std::vector<std::byte> records;
    for (std::uint64_t end = written_; end != 0;) {
      const std::uint64_t begin = end - std::min<std::uint64_t>(end, kRecordsAtOnce);
      records.resize((end - begin) * kRecordBytes);
      file.read(records, begin * kRecordBytes);
      for (std::uint64_t index = end; index-- != begin;) {
        std::byte* const record = records.data() + (index - begin) * kRecordBytes;
        std::uint64_t object = 0;
        std::memcpy(&object, record + kObjectAt, sizeof object);
        const auto [known, is_new] = next_of.try_emplace(object, -1);
        std::memcpy(record + kNextAt, &known->second, sizeof known->second);
        known->second = static_cast<std::int64_t>(index);
      }
      file.write(records, begin * kRecordBytes);
      end = begin;
    }
  }

 private:
  void append(const IoRecord& record, std::int64_t start_wall_ns) {
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    const std::int64_t start_ns = record.start_ns() == kNoTime ? 0 : record.start_ns();
    const std::int64_t seconds =
        std::clamp<std::int64_t>((start_wall_ns + start_ns) / kNsPerSecond, 0, 0xffffffff);
    const auto time_s = static_cast<std::uint32_t>(seconds);
    const std::uint64_t object =
        (std::uint64_t{record.device} << kDeviceShift) + record.offset_bytes / page_bytes_;
    const std::int64_t never = -1;
    std::byte packed[kRecordBytes];
    std::memcpy(packed, &time_s, sizeof time_s);
    std::memcpy(packed + kObjectAt, &object, sizeof object);
    std::memcpy(packed + 12, &record.length_bytes, sizeof record.length_bytes);
    std::memcpy(packed + kNextAt, &never, sizeof never);
    buffer_.insert(buffer_.end(), packed, packed + kRecordBytes);
    ++written_;
  }
  static_assert(std::endian::native == std::endian::little);

  std::string path_;
  std::uint32_t page_bytes_;
  std::unique_ptr<ByteSink> out_;
  std::vector<std::byte> buffer_;
  std::uint64_t written_ = 0;
};

}  // namespace

const Exporter exporting::kOracleGeneral{
    "oracleGeneral", ".oracleGeneral.bin", "libCacheSim oracleGeneral",
    [](const std::string& path, const ExportOptions& options) -> std::unique_ptr<TraceSink> {
      return std::make_unique<OracleGeneralSink>(path, options.record_page_bytes);
    }};

}  // namespace rigel
