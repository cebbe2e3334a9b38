// The kernel's binary block trace as blktrace(8) saves it, one file a CPU (sda.blktrace.0, .1, …):
// struct blk_io_trace of include/uapi/linux/blktrace_api.h, 48 bytes and a payload, in the byte
// order of the machine that wrote it. One file or the set is read, merged by time. Times are
// nanoseconds on the kernel's clock; a note ties them to the wall clock. Notes name processes.
#include <fmt/format.h>

#include <queue>
#include <unordered_map>

#include "traces/error.hpp"
#include "traces/importers/binary_trace.hpp"
#include "traces/importers/event_matcher.hpp"
#include "traces/importers/import_batch.hpp"
#include "traces/importers/importer_list.hpp"
#include "traces/importers/name_table.hpp"
#include "traces/importers/text_fields.hpp"

namespace rigel {
namespace {

constexpr std::uint32_t kMagic = 0x65617407;  // "eat" and the version
constexpr std::size_t kHeaderBytes = 48;
constexpr std::size_t kBufferBytes = (std::size_t{64} << 10) + (std::size_t{128} << 10);

// The upper half of `action`: categories (BLK_TC_*).
constexpr std::uint32_t kWrite = 1U << 1;
constexpr std::uint32_t kFlush = 1U << 2;
constexpr std::uint32_t kSync = 1U << 3;
constexpr std::uint32_t kPassthrough = 1U << 9;
constexpr std::uint32_t kNotify = 1U << 10;
constexpr std::uint32_t kAhead = 1U << 11;
constexpr std::uint32_t kMeta = 1U << 12;
constexpr std::uint32_t kDiscard = 1U << 13;
constexpr std::uint32_t kFua = 1U << 15;

// The lower half: what happened (__BLK_TA_*), or which note it is (__BLK_TN_*).
constexpr std::uint32_t kCgroup = 1U << 8;  // the payload begins with a cgroup's id
enum Action : std::uint32_t { kQueue = 1, kRequeue = 6, kIssue = 7, kComplete = 8 };
enum Note : std::uint32_t { kNoteProcess = 0, kNoteTimestamp = 1 };

struct RawEvent {
  std::int64_t time_ns;
  std::uint64_t sector;
  std::uint32_t bytes, action, category, pid, device, cpu;
  std::uint16_t error;
  std::span<const std::byte> payload;  // in the reader's buffer
};

// One CPU's file.
class CpuFile {
 public:
  explicit CpuFile(std::unique_ptr<ByteSource> input)
      : input_{std::move(input)}, buffer_(kBufferBytes) {
    fill(sizeof kMagic);
    const auto magic = held() < 4 ? 0 : load<std::uint32_t>(buffer_.data(), std::endian::native);
    if (magic != kMagic && __builtin_bswap32(magic) != kMagic) {
      throw error_at(input_->name(), 0, "no blktrace record");
    }
    const bool swapped = magic != kMagic;
    order_ = swapped == (std::endian::native == std::endian::little) ? std::endian::big
                                                                     : std::endian::little;
  }

  // The next event into event(); false at the end, or where the file is damaged or cut.
  bool next(TraceTables& tables) {
    begin_ += consumed_;
    offset_bytes_ += consumed_;
    consumed_ = 0;
    fill(kHeaderBytes);
    if (held() == 0) return false;
    if (held() < kHeaderBytes) return cut(tables, kHeaderBytes);
    const std::byte* at = buffer_.data() + begin_;
    if (load<std::uint32_t>(at, order_) != kMagic) {
      tables.damage.push_back({offset_bytes_, 0, 0,
                               fmt::format("{}: no blktrace record here; the rest of the file is "
                                           "not read",
                                           input_->name())});
      return false;
    }
    const std::size_t size = kHeaderBytes + load<std::uint16_t>(at + 46, order_);
    fill(size);
    if (held() < size) return cut(tables, size);
    at = buffer_.data() + begin_;
    const auto action = load<std::uint32_t>(at + 28, order_);
    event_ = {.time_ns = static_cast<std::int64_t>(load<std::uint64_t>(at + 8, order_)),
              .sector = load<std::uint64_t>(at + 16, order_),
              .bytes = load<std::uint32_t>(at + 24, order_),
              .action = action & 0xffff & ~kCgroup,
              .category = action >> 16,
              .pid = load<std::uint32_t>(at + 32, order_),
              .device = load<std::uint32_t>(at + 36, order_),
              .cpu = load<std::uint32_t>(at + 40, order_),
              .error = load<std::uint16_t>(at + 44, order_),
              .payload = {at + kHeaderBytes, size - kHeaderBytes}};
    if ((action & kCgroup) != 0) {
      event_.payload = event_.payload.subspan(std::min<std::size_t>(8, event_.payload.size()));
    }
    consumed_ = size;
    return true;
  }

  [[nodiscard]] const RawEvent& event() const { return event_; }
  [[nodiscard]] std::endian order() const { return order_; }

 private:
  [[nodiscard]] std::size_t held() const { return end_ - begin_; }
  // Tries to hold `count` bytes.
  void fill(std::size_t count) {
    if (held() >= count) return;
    std::memmove(buffer_.data(), buffer_.data() + begin_, held());
    end_ -= begin_;
    begin_ = 0;
    end_ += input_->read(std::span{buffer_}.subspan(end_));
  }
  bool cut(TraceTables& tables, std::size_t size) {
    tables.damage.push_back(
        {offset_bytes_, held(), 1,
         fmt::format("{}: cut short: {} of a record's {} bytes", input_->name(), held(), size)});
    begin_ = end_;
    return false;
  }

  std::unique_ptr<ByteSource> input_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t consumed_ = 0;  // by event()
  std::uint64_t offset_bytes_ = 0;
  std::endian order_ = std::endian::native;
  RawEvent event_{};
};

IoOp op_of(const RawEvent& event) {
  if ((event.category & kPassthrough) != 0) return IoOp::kOther;
  if ((event.category & kDiscard) != 0) return IoOp::kDiscard;
  // A flush with data is a write that is preceded by one.
  const bool write = (event.category & kWrite) != 0;
  if ((event.category & kFlush) != 0 && (event.bytes == 0 || !write)) return IoOp::kFlush;
  return write ? IoOp::kWrite : IoOp::kRead;
}

std::uint32_t flags_of(const RawEvent& event, IoOp op) {
  std::uint32_t flags = 0;
  const auto when = [&](std::uint32_t category, std::uint32_t flag) {
    if ((event.category & category) != 0) flags |= flag;
  };
  when(kSync, io_flag::kSync);
  when(kAhead, io_flag::kReadahead);
  when(kMeta, io_flag::kMeta);
  when(kFua, io_flag::kFua);
  when(kPassthrough, io_flag::kPassthrough);
  if (op == IoOp::kWrite) when(kFlush, io_flag::kPreflush);
  return flags;
}

class BlktraceSource final : public TraceSource {
 public:
  BlktraceSource(std::vector<std::unique_ptr<ByteSource>> inputs, ColumnSet columns)
      : wanted_{columns} {
    tables_.meta.source = "blktrace";
    for (auto& input : inputs) files_.emplace_back(std::move(input));
    for (std::size_t i = 0; i < files_.size(); ++i) advance(i);
  }

  bool next(RecordBatch& batch) override {
    std::vector<IoRecord> records;
    records.reserve(kImportBatch);
    IoRecord record;
    while (records.size() < kImportBatch) {
      if (matcher_.take(record)) {
        records.push_back(record);
      } else if (!order_.empty()) {
        const std::size_t file = order_.top().second;
        order_.pop();
        handle(files_[file].event(), files_[file].order());
        advance(file);
      } else if (!finished_) {
        finish();
      } else {
        break;
      }
    }
    ColumnSet columns{Column::kDevice, Column::kOffset, Column::kLength, Column::kOp,
                      Column::kFlags,  Column::kStream, Column::kCpu};
    columns = columns | matcher_.time_columns();
    if (columns.has(Column::kComplete)) columns.add(Column::kStatus);
    fill_batch(batch, records, columns & wanted_);
    return !batch.empty();
  }
  [[nodiscard]] const TraceTables& tables() const override { return tables_; }

 private:
  void advance(std::size_t file) {
    if (files_[file].next(tables_)) order_.push({files_[file].event().time_ns, file});
  }

  void handle(const RawEvent& event, std::endian order) {
    if ((event.category & kNotify) != 0) return note(event, order);
    if (base_ns_ == kNoTime) {
      base_ns_ = event.time_ns;
      set_wall_clock();
    }
    BlockEvent out;
    switch (event.action) {
      case kQueue:
        out.kind = BlockEvent::Kind::kQueue;
        break;
      case kIssue:
        out.kind = BlockEvent::Kind::kIssue;
        break;
      case kRequeue:
        out.kind = BlockEvent::Kind::kRequeue;
        break;
      case kComplete:
        out.kind = BlockEvent::Kind::kComplete;
        break;
      default:
        return;  // merges, splits, plugs and the like say nothing that ranges do not
    }
    out.time_ns = event.time_ns - base_ns_;
    // Some drivers trace flushes and passthrough at sector -1.
    const bool has_sector = event.sector < (std::uint64_t{1} << 54);
    out.offset_bytes = has_sector ? event.sector * kSectorBytes : 0;
    out.length_bytes = event.bytes;
    out.op = op_of(event);
    out.flags = flags_of(event, out.op);
    out.device = device(event.device);
    out.cpu = static_cast<std::uint16_t>(std::min<std::uint32_t>(event.cpu, kNoCpu));
    out.status = -static_cast<std::int16_t>(event.error);
    const auto comm = comms_.find(event.pid);
    out.stream =
        streams_.index(comm == comms_.end() ? "" : comm->second, event.pid, event.pid, tables_);
    matcher_.add(out);
  }

  void note(const RawEvent& event, std::endian order) {
    if (event.action == kNoteProcess && comms_.size() < NameTable::kMostNames) {
      std::string_view comm{reinterpret_cast<const char*>(event.payload.data()),
                            event.payload.size()};
      comms_[event.pid] = comm.substr(0, comm.find('\0'));
    } else if (event.action == kNoteTimestamp && event.payload.size() >= 8) {
      note_ns_ = event.time_ns;
      note_wall_ns_ = load<std::uint32_t>(event.payload.data(), order) * kNsPerSecond +
                      load<std::uint32_t>(event.payload.data() + 4, order);
      set_wall_clock();
    }
  }
  void set_wall_clock() {
    if (base_ns_ == kNoTime || note_ns_ == kNoTime) return;
    tables_.meta.start_wall_ns = note_wall_ns_ + (base_ns_ - note_ns_);
  }

  std::uint32_t device(std::uint32_t number) {
    const std::uint32_t major = number >> 20;
    const std::uint32_t minor = number & 0xfffff;
    const auto before = tables_.devices.size();
    const std::uint32_t index = devices_.index(fmt::format("{},{}", major, minor), tables_);
    if (tables_.devices.size() != before) {
      tables_.devices.back().major = major;
      tables_.devices.back().minor = minor;
    }
    return index;
  }

  void finish() {
    finished_ = true;
    matcher_.finish();
    if (matcher_.without_completion() != 0 || matcher_.without_start() != 0) {
      tables_.warnings.push_back(fmt::format(
          "{} I/Os have no completion and {} completions no start: cut short by the recording's "
          "begin and end, or other CPUs' files are missing",
          matcher_.without_completion(), matcher_.without_start()));
    }
  }

  using Head = std::pair<std::int64_t, std::size_t>;  // time and file
  ColumnSet wanted_;
  TraceTables tables_;
  std::vector<CpuFile> files_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> order_;
  EventMatcher matcher_;
  DeviceNames devices_;
  StreamNames streams_;
  std::unordered_map<std::uint32_t, std::string> comms_;  // by process id, as noted last
  std::int64_t base_ns_ = kNoTime;                        // the first event's time, our 0
  std::int64_t note_ns_ = kNoTime;
  std::int64_t note_wall_ns_ = 0;
  bool finished_ = false;
};

}  // namespace

const Importer import::kBlktrace{
    "blktrace", "blktrace binary, one file or one per CPU",
    [](const SniffInput& input) {
      if (input.head.size() < 4) return false;
      const auto magic = load<std::uint32_t>(input.head.data(), std::endian::native);
      return magic == kMagic || __builtin_bswap32(magic) == kMagic;
    },
    [](std::vector<std::unique_ptr<ByteSource>> inputs,
       const OpenOptions& options) -> std::unique_ptr<TraceSource> {
      return std::make_unique<BlktraceSource>(std::move(inputs), options.columns);
    },
    true};

}  // namespace rigel
