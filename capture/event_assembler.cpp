#include "capture/event_assembler.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace rigel {
namespace {

constexpr std::uint64_t kSectorBytes = 512;  // of the block layer, whatever the device's own

// REQ_OP_* that have kept their numbers; include/linux/blk_types.h.
enum : std::uint8_t {
  kReqRead = 0,
  kReqWrite = 1,
  kReqFlush = 2,
  kReqDiscard = 3,
  kReqSecureErase = 5,
  kReqWriteZeroes = 9,
  kReqDriverIn = 34,
};

std::string comm_text(const block_event& event) {
  return {event.comm, strnlen(event.comm, sizeof(event.comm))};
}

}  // namespace

std::int32_t errno_of_blk_status(std::uint8_t status) {
  static constexpr std::array<std::int32_t, 20> kErrors{
      0,   EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK,      EREMOTEIO, EBADE,  ENODATA, EILSEQ, ENOMEM,
      EIO, EREMCHG,    EAGAIN,    EBUSY,  ETOOMANYREFS, EOVERFLOW, ENODEV, ETIME,   EIO,    EINVAL};
  return status < kErrors.size() ? kErrors[status] : EIO;
}

std::size_t EventAssembler::StreamHash::operator()(const StreamKey& key) const {
  std::uint64_t hash = key.comm[0];
  for (const std::uint64_t part :
       {key.comm[1], key.cgroup, std::uint64_t{key.tgid} << 32 | key.tid}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

EventAssembler::EventAssembler(Options options, HostNames& names, TraceTables& tables)
    : options_{std::move(options)},
      names_{names},
      tables_{tables},
      last_start_ns_{std::numeric_limits<std::int64_t>::min()} {}

std::int64_t EventAssembler::time_of(std::uint64_t monotonic) const {
  return monotonic == 0 ? kNoTime : static_cast<std::int64_t>(monotonic - options_.start_ns);
}

const EventAssembler::KnownDevice& EventAssembler::device_of(std::uint32_t number) {
  const auto found = devices_.find(number);
  if (found != devices_.end()) return found->second;
  BlockDevice device = names_.device(number);
  const KnownDevice known{.index = static_cast<std::uint32_t>(tables_.devices.size()),
                          .is_request_based = device.is_request_based,
                          .start_bytes = device.info.start_bytes};
  tables_.devices.push_back(std::move(device.info));
  return devices_.emplace(number, known).first->second;
}

std::uint32_t EventAssembler::stream_of(const block_event& event) {
  StreamKey key{.comm = {}, .cgroup = event.cgroup, .tgid = event.tgid, .tid = event.tid};
  static_assert(sizeof(key.comm) == sizeof(event.comm));
  // What follows the terminator is not part of the name.
  std::memcpy(key.comm.data(), event.comm, strnlen(event.comm, sizeof(event.comm)));
  const auto [place, is_new] =
      streams_.try_emplace(key, static_cast<std::uint32_t>(tables_.streams.size()));
  if (is_new) {
    tables_.streams.push_back(names_.stream(event.tgid, event.tid, comm_text(event), event.cgroup));
  }
  return place->second;
}

IoOp EventAssembler::op_of(const block_event& event) const {
  const auto op = static_cast<std::uint8_t>(event.op_flags & 0xff);
  if (op != 0 && op == options_.flavour.zone_append_op) return IoOp::kWrite;
  switch (op) {
    case kReqRead:
      return IoOp::kRead;
    case kReqWrite:
      // A flush without data is an empty write to the block layer.
      return event.length_bytes == 0 ? IoOp::kFlush : IoOp::kWrite;
    case kReqFlush:
      return IoOp::kFlush;
    case kReqDiscard:
    case kReqSecureErase:
      return IoOp::kDiscard;
    case kReqWriteZeroes:
      return IoOp::kWriteZeroes;
    default:
      return IoOp::kOther;
  }
}

std::uint32_t EventAssembler::flags_of(const block_event& event, bool is_request_based) const {
  struct SeenFlag {
    std::uint8_t seen;
    std::uint32_t flag;
  };
  static constexpr std::array kSeenFlags{
      SeenFlag{RIGEL_SEEN_MERGED, io_flag::kMerged},
      SeenFlag{RIGEL_SEEN_SPLIT, io_flag::kSplit},
      SeenFlag{RIGEL_SEEN_REQUEUED, io_flag::kRequeued},
      SeenFlag{RIGEL_SEEN_WRITEBACK, io_flag::kWriteback},
      SeenFlag{RIGEL_SEEN_AT_START, io_flag::kInFlightAtStart},
  };
  std::uint32_t flags = options_.flavour.flags_of(event.op_flags);
  for (const SeenFlag& entry : kSeenFlags) {
    if ((event.seen & entry.seen) != 0) flags |= entry.flag;
  }
  if ((event.op_flags & 0xff) >= kReqDriverIn) flags |= io_flag::kPassthrough;
  if (!is_request_based) flags |= io_flag::kBioLayer;
  if (event.status == RIGEL_STATUS_UNSEEN)
    flags |= io_flag::kEndUnseen;
  else if (event.complete_ns == 0)
    flags |= io_flag::kInFlightAtStop;
  return flags;
}

std::int32_t EventAssembler::status_of(const block_event& event) const {
  if (event.status == RIGEL_STATUS_UNSEEN) return 0;
  return options_.flavour.status_is_errno ? event.status : errno_of_blk_status(event.status);
}

IoRecord EventAssembler::record_of(const block_event& event) {
  const KnownDevice& device = device_of(event.device);
  IoRecord record;
  record.queue_ns = time_of(event.queue_ns);
  record.issue_ns = time_of(event.issue_ns);
  record.complete_ns = time_of(event.complete_ns);
  record.op = op_of(event);
  record.length_bytes = event.length_bytes;
  // Flushes and passthrough have no place; the kernel leaves all kinds of numbers there.
  const std::uint64_t offset = event.sector * kSectorBytes;
  if (record.op != IoOp::kFlush && record.op != IoOp::kOther && offset >= device.start_bytes) {
    record.offset_bytes = offset - device.start_bytes;
  }
  record.device = device.index;
  record.stream = stream_of(event);
  record.flags = flags_of(event, device.is_request_based);
  record.status = status_of(event);
  record.cpu = (event.seen & RIGEL_SEEN_QUEUE) != 0 ? event.cpu : kNoCpu;
  return record;
}

void EventAssembler::add(std::span<const block_event> events) {
  for (const block_event& event : events) waiting_.push_back(record_of(event));
}

void EventAssembler::hand_out(std::size_t count, RecordBatch& batch) {
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  const auto earlier = [](const IoRecord& a, const IoRecord& b) {
    return a.start_ns() < b.start_ns();
  };
  if (!std::is_sorted(waiting_.begin(), end, earlier)) {
    std::stable_sort(waiting_.begin(), end, earlier);
  }
  for (auto record = waiting_.begin(); record != end; ++record) {
    if (record->start_ns() < last_start_ns_) ++out_of_order_;
    last_start_ns_ = std::max(last_start_ns_, record->start_ns());
    batch.append(*record);
  }
  waiting_.erase(waiting_.begin(), end);
}

void EventAssembler::release(std::uint64_t watermark_ns, RecordBatch& batch) {
  batch.reset(ColumnSet::all());
  const std::int64_t watermark = time_of(watermark_ns);
  const auto end = std::stable_partition(
      waiting_.begin(), waiting_.end(),
      [watermark](const IoRecord& record) { return record.start_ns() < watermark; });
  auto ready = static_cast<std::size_t>(end - waiting_.begin());
  if (is_full() && ready < waiting_.size() / 2) {
    const auto half = waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_.size() / 2);
    std::nth_element(
        waiting_.begin(), half, waiting_.end(),
        [](const IoRecord& a, const IoRecord& b) { return a.start_ns() < b.start_ns(); });
    ready = waiting_.size() / 2;
  }
  hand_out(ready, batch);
}

void EventAssembler::release_all(RecordBatch& batch) {
  batch.reset(ColumnSet::all());
  hand_out(waiting_.size(), batch);
}

}  // namespace rigel
