// All disks of an array with their queues: takes disk I/Os in order of time and says when each is
// done. Constant and exponential disks serve first come first served, so the end is known on
// arrival; a mechanical disk chooses among its queue when its arm is free, so the end is known when
// service begins. One thread, driven by the simulator's clock, which must not go back.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "model/array/array_config.hpp"
#include "model/array/disk_arm.hpp"
#include "model/array/disk_mechanism.hpp"
#include "model/array/raid_layout.hpp"

namespace rigel {

class DiskBank {
 public:
  DiskBank(const ArrayConfig& config, std::uint64_t seed);

  [[nodiscard]] bool mechanical() const { return !arms_.empty(); }

  // Constant and exponential: when this I/O, arriving now, will be done.
  [[nodiscard]] std::int64_t finish_ns(std::int64_t now_ns, const DiskIo& io);

  // Mechanical: queues the I/O of `owner`. When the disk was idle it starts at once and the time
  // of its end is returned; then done() must be called at that time.
  std::optional<std::int64_t> arrive(std::int64_t now_ns, const DiskIo& io, std::uint32_t owner);
  struct Done {
    std::uint32_t owner;
    std::optional<std::int64_t> next_ns;  // end of the I/O that starts now, if one does
  };
  [[nodiscard]] Done done(std::int64_t now_ns, std::uint32_t disk);

  // Time spent serving since the beginning, of all the disk's units; counted when service begins.
  [[nodiscard]] double busy_ns(std::uint32_t disk) const { return busy_ns_[disk]; }

 private:
  struct Queued {
    DiskIo io;
    std::uint32_t owner;
  };
  struct Arm {
    DiskArm disk;
    std::deque<Queued> queue = {};  // in order of arrival; one of the first is taken
    bool up = true;                 // the elevator's direction
    bool busy = false;
    std::int64_t free_ns = 0;  // when it was last done
    std::uint32_t owner = 0;
  };

  [[nodiscard]] std::int64_t start(std::int64_t now_ns, std::uint32_t disk);
  [[nodiscard]] std::size_t choose(std::int64_t now_ns, Arm& arm) const;
  [[nodiscard]] std::size_t choose_elevator(Arm& arm, std::size_t among) const;
  [[nodiscard]] double service_ns(const DiskIo& io);

  DiskConfig config_;
  QueueConfig queue_;
  std::optional<DiskMechanism> mechanism_;
  std::vector<Arm> arms_;              // mechanical
  std::vector<std::int64_t> free_ns_;  // otherwise: units of disk 0, then of disk 1, …
  std::vector<double> busy_ns_;
  std::mt19937_64 random_;
};

// Uniform in (0, 1], the same on every platform.
[[nodiscard]] inline double unit_interval(std::mt19937_64& random) {
  return static_cast<double>((random() >> 11) + 1) * 0x1p-53;
}

}  // namespace rigel
