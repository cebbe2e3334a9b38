#include "traces/importers/event_matcher.hpp"

#include <algorithm>

namespace rigel {
namespace {

IoRecord record_of(const BlockEvent& event) {
  IoRecord record;
  record.offset_bytes = event.offset_bytes;
  record.length_bytes = event.length_bytes;
  record.device = event.device;
  record.stream = event.stream;
  record.flags = event.flags;
  record.cpu = event.cpu;
  record.op = event.op;
  return record;
}

// The first entry at `offset` that `matches`, or end().
template <typename Map, typename Matches>
typename Map::iterator find_at(Map& map, std::uint64_t offset, Matches matches) {
  auto [it, last] = map.equal_range(offset);
  for (; it != last; ++it) {
    if (matches(it->second)) return it;
  }
  return map.end();
}

}  // namespace

void EventMatcher::add(const BlockEvent& event) {
  Device& device = devices_[event.device];
  switch (event.kind) {
    case BlockEvent::Kind::kQueue: {
      time_columns_.add(Column::kQueue);
      IoRecord record = record_of(event);
      record.queue_ns = event.time_ns;
      device.queued.emplace(event.offset_bytes, record);
      ++outstanding_;
      break;
    }
    case BlockEvent::Kind::kIssue:
      time_columns_.add(Column::kIssue);
      if (!reissue(device, event)) issue(device, event);
      break;
    case BlockEvent::Kind::kRequeue: {
      const auto found = find_at(device.issued, event.offset_bytes, [&](const Issued& issued) {
        return issued.record.op == event.op;
      });
      if (found != device.issued.end()) found->second.record.flags |= io_flag::kRequeued;
      break;
    }
    case BlockEvent::Kind::kComplete:
      time_columns_.add(Column::kComplete);
      complete(device, event);
      break;
    case BlockEvent::Kind::kBioComplete:
      if (device.issues) break;
      time_columns_.add(Column::kComplete);
      complete_bio(device, event);
      break;
  }
  if (outstanding_ > kMostOutstanding) give_up_older_half();
}

bool EventMatcher::reissue(Device& device, const BlockEvent& event) {
  const auto found = find_at(device.issued, event.offset_bytes, [&](const Issued& issued) {
    return issued.record.op == event.op && (issued.record.flags & io_flag::kRequeued) != 0 &&
           issued.record.length_bytes == event.length_bytes;
  });
  if (found == device.issued.end()) return false;
  found->second.record.issue_ns = event.time_ns;
  return true;
}

void EventMatcher::issue(Device& device, const BlockEvent& event) {
  device.issues = true;
  IoRecord record = record_of(event);
  record.issue_ns = event.time_ns;
  take_bios(device, event, record);
  device.issued.emplace(event.offset_bytes, Issued{record, event.length_bytes});
  ++outstanding_;
}

void EventMatcher::take_bios(Device& device, const BlockEvent& event, IoRecord& record) {
  auto& queued = device.queued;
  const std::uint64_t end = event.offset_bytes + event.length_bytes;
  std::uint64_t covered_to = event.offset_bytes;
  std::size_t taken = 0;
  const auto take = [&](const IoRecord& bio) {
    if (taken++ == 0 || bio.queue_ns < record.queue_ns) {
      record.queue_ns = bio.queue_ns;
      record.stream = bio.stream;
      record.cpu = bio.cpu;
    }
    record.flags |= bio.flags;
  };
  auto it = queued.lower_bound(event.offset_bytes);
  if (event.length_bytes == 0) {
    const auto flush = find_at(queued, event.offset_bytes, [&](const IoRecord& bio) {
      return bio.op == event.op && bio.length_bytes == 0;
    });
    if (flush == queued.end()) return;
    take(flush->second);
    queued.erase(flush);
    --outstanding_;
    return;
  }
  // A bio that begins before the request, was split, and whose first piece is still to be issued.
  if (it != queued.begin()) {
    auto before = std::prev(it);
    IoRecord& bio = before->second;
    const std::uint64_t bio_end = bio.offset_bytes + bio.length_bytes;
    if (bio.op == event.op && bio_end > event.offset_bytes) {
      bio.flags |= io_flag::kSplit;
      take(bio);
      bio.length_bytes = static_cast<std::uint32_t>(event.offset_bytes - bio.offset_bytes);
      covered_to = std::min(bio_end, end);
    }
  }
  while (it != queued.end() && it->first < end) {
    IoRecord bio = it->second;
    if (bio.op != event.op || bio.offset_bytes < covered_to || bio.length_bytes == 0) {
      ++it;
      continue;
    }
    const std::uint64_t bio_end = bio.offset_bytes + bio.length_bytes;
    if (bio_end > end) bio.flags |= io_flag::kSplit;
    take(bio);
    covered_to = std::min(bio_end, end);
    it = queued.erase(it);
    --outstanding_;
    if (bio_end > end) {  // the rest of it will be another request
      bio.length_bytes = static_cast<std::uint32_t>(bio_end - end);
      bio.offset_bytes = end;
      queued.emplace(end, bio);
      ++outstanding_;
    }
  }
  if (taken > 1) record.flags |= io_flag::kMerged;
}

void EventMatcher::complete(Device& device, const BlockEvent& event) {
  const auto found = find_at(device.issued, event.offset_bytes,
                             [&](const Issued& issued) { return issued.record.op == event.op; });
  if (found == device.issued.end()) {
    if (complete_bio(device, event)) return;
    // A flush is issued as a request of the block layer's own; when that is done, the one that
    // asked for it completes too, although it was never issued.
    if (event.op == IoOp::kFlush) return;
    ++without_start_;
    IoRecord record = record_of(event);
    record.flags |= io_flag::kInFlightAtStart;
    record.complete_ns = event.time_ns;
    record.status = event.status;
    out_.push(record);
    return;
  }
  Issued issued = found->second;
  device.issued.erase(found);
  issued.record.complete_ns = event.time_ns;
  issued.record.status = event.status;
  if (event.length_bytes != 0 && event.length_bytes < issued.remaining_bytes) {
    issued.remaining_bytes -= event.length_bytes;
    device.issued.emplace(event.offset_bytes + event.length_bytes, issued);
    return;
  }
  --outstanding_;
  out_.push(issued.record);
}

bool EventMatcher::complete_bio(Device& device, const BlockEvent& event) {
  const auto found = find_at(device.queued, event.offset_bytes, [&](const IoRecord& bio) {
    return bio.op == event.op && bio.length_bytes == event.length_bytes;
  });
  if (found == device.queued.end()) return false;
  IoRecord record = found->second;
  device.queued.erase(found);
  --outstanding_;
  record.complete_ns = event.time_ns;
  record.status = event.status;
  if (!device.issues) record.flags |= io_flag::kBioLayer;
  out_.push(record);
  return true;
}

void EventMatcher::give_up(IoRecord record) {
  --outstanding_;
  // A request that completed in part has a completion time, but not its last.
  record.complete_ns = kNoTime;
  // Where completions were not traced, none is missing.
  if (time_columns_.has(Column::kComplete)) {
    record.flags |= io_flag::kInFlightAtStop;
    ++without_completion_;
  }
  out_.push(record);
}

void EventMatcher::give_up_older_half() {
  std::vector<std::int64_t> starts;
  starts.reserve(outstanding_);
  for (const auto& [index, device] : devices_) {
    for (const auto& [offset, bio] : device.queued) starts.push_back(bio.start_ns());
    for (const auto& [offset, issued] : device.issued) starts.push_back(issued.record.start_ns());
  }
  const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
  std::nth_element(starts.begin(), middle, starts.end());
  for (auto& [index, device] : devices_) {
    std::erase_if(device.queued, [&](const auto& entry) {
      if (entry.second.start_ns() > *middle) return false;
      give_up(entry.second);
      return true;
    });
    std::erase_if(device.issued, [&](const auto& entry) {
      if (entry.second.record.start_ns() > *middle) return false;
      give_up(entry.second.record);
      return true;
    });
  }
}

void EventMatcher::finish() {
  finished_ = true;
  for (auto& [index, device] : devices_) {
    for (const auto& [offset, bio] : device.queued) give_up(bio);
    for (const auto& [offset, issued] : device.issued) give_up(issued.record);
    device.queued.clear();
    device.issued.clear();
  }
}

bool EventMatcher::take(IoRecord& record) {
  if (!out_.ready(finished_)) return false;
  record = out_.pop();
  return true;
}

}  // namespace rigel
