#include "capture/io_counts.hpp"

#include <algorithm>

namespace rigel {
namespace {

void count(IoCount& into, const IoRecord& record) {
  switch (record.op) {
    case IoOp::kRead:
      ++into.reads;
      into.read_bytes += record.length_bytes;
      break;
    case IoOp::kWrite:
      ++into.writes;
      into.write_bytes += record.length_bytes;
      break;
    default:
      ++into.others;
  }
}

}  // namespace

double IoCount::outstanding(std::int64_t interval_ns) const {
  if (interval_ns <= 0) return 0;
  return latency.mean_ns() * static_cast<double>(latency.count()) /
         static_cast<double>(interval_ns);
}

double IoCount::utilisation(std::int64_t interval_ns) const {
  if (interval_ns <= 0) return 0;
  return std::min(1.0, static_cast<double>(busy_ns) / static_cast<double>(interval_ns));
}

void IoCounts::add(const RecordBatch& batch, const TraceTables& tables) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const IoRecord record = batch.record(i);
    const std::string& role = tables.streams.at(record.stream).role;
    for (IoCount* into :
         {&devices_[tables.devices.at(record.device).name], &roles_[role.empty() ? "-" : role]}) {
      count(*into, record);
      if (record.complete_ns == kNoTime) continue;
      const std::int64_t start = record.start_ns();
      into->latency.add(record.complete_ns - start);
      std::int64_t& until = busy_until_ns_.try_emplace(into, start).first->second;
      into->busy_ns += std::max<std::int64_t>(0, record.complete_ns - std::max(start, until));
      until = std::max(until, record.complete_ns);
    }
  }
}

void IoCounts::clear() {
  for (auto* counts : {&devices_, &roles_}) {
    for (auto& [name, one] : *counts) one = IoCount{};
  }
}

}  // namespace rigel
