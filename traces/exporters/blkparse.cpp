// Text as blkparse prints it: Q, D and C lines in order of time, as far as the trace has them.
// Holds times, device number, whole sectors, length, rwbs, process number and name, CPU, error.
// A device without a number is 0,<index>; an unknown CPU is 0.
#include <algorithm>
#include <queue>

#include "traces/exporters/exporter_list.hpp"
#include "traces/exporters/text_output.hpp"
#include "traces/rwbs.hpp"

namespace rigel {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

class BlkparseSink final : public TraceSink {
 public:
  explicit BlkparseSink(const std::string& path) : out_{create_file(path)} {}

  void write(const RecordBatch& batch, const TraceTables& tables) override {
    for (std::size_t row = 0; row < batch.size(); ++row) {
      const IoRecord record = batch.record(row);
      // Records come by start: what happened before this one can go out.
      write_until(record.start_ns(), tables);
      push(record, record.queue_ns, 'Q');
      push(record, record.issue_ns, 'D');
      push(record, record.complete_ns, 'C');
      if (record.start_ns() == kNoTime) push(record, 0, 'Q');
      if (pending_.size() > kMostPending) write_first(tables);
    }
  }
  void finish(const TraceTables& tables) override {
    while (!pending_.empty()) write_first(tables);
    out_.close();
  }

 private:
  static constexpr std::size_t kMostPending = 65536;  // bounds memory, should none complete

  struct Event {
    std::int64_t time_ns;
    std::uint64_t sequence;
    char action;
    IoRecord record;
    bool operator<(const Event& other) const {
      return time_ns != other.time_ns ? time_ns > other.time_ns : sequence > other.sequence;
    }
  };
  void push(const IoRecord& record, std::int64_t time_ns, char action) {
    if (time_ns != kNoTime) pending_.push({time_ns, pushed_++, action, record});
  }
  void write_until(std::int64_t time_ns, const TraceTables& tables) {
    while (!pending_.empty() && pending_.top().time_ns < time_ns) write_first(tables);
  }
  void write_first(const TraceTables& tables) {
    const Event& event = pending_.top();
    const IoRecord& record = event.record;
    const DeviceInfo* device =
        record.device < tables.devices.size() ? &tables.devices[record.device] : nullptr;
    const bool numbered = device != nullptr && (device->major != 0 || device->minor != 0);
    const StreamInfo* stream =
        record.stream < tables.streams.size() ? &tables.streams[record.stream] : nullptr;
    const std::int64_t magnitude = std::abs(event.time_ns);
    const std::string seconds =
        fmt::format("{}{}", event.time_ns < 0 ? "-" : "", magnitude / kNsPerSecond);
    out_.format("{:>3},{:<3} {:>2} {:>8} {:>5}.{:09} {:>5}  {} {:>3} {} + {} ",
                numbered ? device->major : 0, numbered ? device->minor : record.device,
                record.cpu == kNoCpu ? 0 : record.cpu, ++written_, seconds,
                magnitude % kNsPerSecond, stream == nullptr ? 0 : stream->pid, event.action,
                format_rwbs(record.op, record.flags), record.offset_bytes / 512,
                record.length_bytes / 512);
    // An error is an unsigned 16-bit field, as the kernel's record has it.
    if (event.action == 'C')
      out_.format("[{}]", static_cast<std::uint16_t>(-record.status));
    else
      out_.format("[{}]", stream == nullptr ? "" : stream->comm);
    out_.line_done();
    pending_.pop();
  }

  TextOutput out_;
  std::priority_queue<Event> pending_;
  std::uint64_t pushed_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace

const Exporter exporting::kBlkparse{
    "blkparse", ".blkparse", "text as blkparse prints it",
    [](const std::string& path, const ExportOptions&) -> std::unique_ptr<TraceSink> {
      return std::make_unique<BlkparseSink>(path);
    }};

}  // namespace rigel
