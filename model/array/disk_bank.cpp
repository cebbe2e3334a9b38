#include "model/array/disk_bank.hpp"

#include <algorithm>
#include <cmath>

namespace rigel {

DiskBank::DiskBank(const ArrayConfig& config, std::uint64_t seed)
    : config_{config.disks}, queue_{config.queue}, busy_ns_(config.disks.count, 0), random_{seed} {
  if (config_.law == ServiceLaw::kMechanical) {
    mechanism_.emplace(config_);
    // Heads start spread out, so that a set of disks is not in step.
    for (unsigned disk = 0; disk < config_.count; ++disk) {
      const double track = std::floor(unit_interval(random_) * mechanism_->tracks());
      arms_.push_back({DiskArm{config_, *mechanism_, track}});
    }
  } else {
    free_ns_.assign(std::size_t{config_.count} * config_.units, 0);
  }
}

double DiskBank::service_ns(const DiskIo& io) {
  double time = static_cast<double>(config_.time_ns);
  if (config_.law == ServiceLaw::kExponential) time *= -std::log(unit_interval(random_));
  if (config_.bytes_per_second > 0) time += io.length_bytes * 1e9 / config_.bytes_per_second;
  return time;
}

std::int64_t DiskBank::finish_ns(std::int64_t now_ns, const DiskIo& io) {
  const auto first = free_ns_.begin() + static_cast<std::ptrdiff_t>(io.disk * config_.units);
  const auto unit =
      config_.units == 1
          ? first
          : std::min_element(first, first + static_cast<std::ptrdiff_t>(config_.units));
  const double service = service_ns(io);
  busy_ns_[io.disk] += service;
  *unit = std::max(*unit, now_ns) + std::llround(service);
  return *unit;
}

std::optional<std::int64_t> DiskBank::arrive(std::int64_t now_ns, const DiskIo& io,
                                             std::uint32_t owner) {
  Arm& arm = arms_[io.disk];
  arm.queue.push_back({io, owner});
  if (arm.busy) return std::nullopt;
  return start(std::max(now_ns, arm.free_ns), io.disk);
}

DiskBank::Done DiskBank::done(std::int64_t now_ns, std::uint32_t disk) {
  Arm& arm = arms_[disk];
  Done result{arm.owner, std::nullopt};
  arm.busy = false;
  arm.free_ns = now_ns;
  if (!arm.queue.empty()) result.next_ns = start(now_ns, disk);
  return result;
}

std::int64_t DiskBank::start(std::int64_t now_ns, std::uint32_t disk) {
  Arm& arm = arms_[disk];
  const std::size_t at = choose(now_ns, arm);
  const Queued chosen = arm.queue[at];
  arm.queue.erase(arm.queue.begin() + static_cast<std::ptrdiff_t>(at));
  const DiskArm::Served served = arm.disk.serve(now_ns, chosen.io, *mechanism_);
  arm.busy = true;
  arm.owner = chosen.owner;
  busy_ns_[disk] += served.busy_ns;
  return served.end_ns;
}

std::size_t DiskBank::choose(std::int64_t now_ns, Arm& arm) const {
  const std::size_t among = std::min<std::size_t>(arm.queue.size(), queue_.depth);
  if (among == 1 || queue_.policy == DiskQueuePolicy::kFifo) return 0;
  if (queue_.policy == DiskQueuePolicy::kElevator) return choose_elevator(arm, among);
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t i = 0; i < among; ++i) {
    const DiskIo& io = arm.queue[i].io;
    const double time =
        mechanism_->positioning_ns(now_ns, arm.disk.track(), io.offset_bytes, io.write);
    if (time < least) {
      least = time;
      best = i;
    }
  }
  return best;
}

// The nearest one ahead; when there is none the arm turns round (LOOK).
std::size_t DiskBank::choose_elevator(Arm& arm, std::size_t among) const {
  for (int turn = 0; turn < 2; ++turn) {
    std::size_t best = among;
    double nearest = INFINITY;
    for (std::size_t i = 0; i < among; ++i) {
      const double ahead = (mechanism_->track_of(arm.queue[i].io.offset_bytes) - arm.disk.track()) *
                           (arm.up ? 1 : -1);
      if (ahead >= 0 && ahead < nearest) {
        nearest = ahead;
        best = i;
      }
    }
    if (best != among) return best;
    arm.up = !arm.up;
  }
  return 0;
}

}  // namespace rigel
