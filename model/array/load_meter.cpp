#include "model/array/load_meter.hpp"

#include <algorithm>

namespace rigel {

const PartUse& LoadResult::bottleneck() const {
  return *std::max_element(parts.begin(), parts.end(), [](const PartUse& a, const PartUse& b) {
    return a.utilisation < b.utilisation;
  });
}

LoadMeter::LoadMeter(const ArraySimulator& array, std::int64_t now_ns)
    : array_{array}, start_ns_{now_ns}, before_{array.counters()} {
  for (unsigned disk = 0; disk < array.config().disks.count; ++disk) {
    disks_before_.push_back(array.disk_busy_ns(disk));
  }
}

void LoadMeter::add(const ArrayCompletion& completion) {
  latency_.add(completion.finish_ns - completion.start_ns);
  bytes_ += completion.length_bytes;
  (completion.write ? write_latency_ : read_latency_)
      .add(completion.finish_ns - completion.start_ns);
  if (!completion.write && completion.hit) ++hits_;
}

LoadResult LoadMeter::result(std::int64_t now_ns) const {
  LoadResult result;
  result.ios = latency_.count();
  result.duration_ns = now_ns - start_ns_;
  const double seconds = std::max(1.0, static_cast<double>(result.duration_ns)) * 1e-9;
  result.iops = static_cast<double>(result.ios) / seconds;
  result.outstanding = result.iops * latency_.mean_ns() * 1e-9;
  result.bytes_per_second = static_cast<double>(bytes_) / seconds;
  const std::uint64_t reads = read_latency_.count();
  result.hit_ratio = reads > 0 ? static_cast<double>(hits_) / static_cast<double>(reads) : 0;
  result.latency = latency_;
  result.read_latency = read_latency_;
  result.write_latency = write_latency_;
  const double elapsed = seconds * 1e9;
  const ArrayCounters& after = array_.counters();
  const auto part = [&](const char* name, double busy, double most) {
    const double use = std::min(1.0, busy / (elapsed * most));
    result.parts.push_back({name, use, use});
  };
  part("link in", after.link_in_busy_ns - before_.link_in_busy_ns, 1);
  part("link out", after.link_out_busy_ns - before_.link_out_busy_ns, 1);
  part("controller", after.controller_busy_ns - before_.controller_busy_ns,
       array_.config().controller.cores);
  double sum = 0;
  double busiest = 0;
  for (unsigned disk = 0; disk < disks_before_.size(); ++disk) {
    const double busy = array_.disk_busy_ns(disk) - disks_before_[disk];
    const double use = std::min(1.0, busy / (elapsed * array_.config().disks.units));
    sum += use;
    busiest = std::max(busiest, use);
  }
  result.parts.push_back({"disks", sum / static_cast<double>(disks_before_.size()), busiest});
  return result;
}

}  // namespace rigel
