// Which devices of a trace are parts of one: a partition and its disk, two partitions of a disk,
// two paths to a LUN. Their I/O meets in the same cache pages, so they must share one address
// space.
//
// Devices belong together when they have the same wwid, or, where none is known, when one is the
// other's parent or both have the same. A partition's bytes lie where it starts on the disk. What
// the trace does not say of a device cannot be known: it is then a space of its own.
// Follows a table that grows while it is read. One thread; no errors of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "traces/trace_tables.hpp"

namespace rigel {

class AddressSpaces {
 public:
  struct Place {
    std::uint32_t device = 0;       // stands for the space: the first device of it
    std::uint64_t start_bytes = 0;  // where this device's first byte is in it
  };

  // Takes note of the devices that came since the last call.
  void follow(const std::vector<DeviceInfo>& devices);
  [[nodiscard]] Place of(std::uint32_t device) const {
    return device < places_.size() ? places_[device] : Place{device, 0};
  }
  // No device shares its space with another, and none begins elsewhere than at 0.
  [[nodiscard]] bool all_apart() const { return all_apart_; }

 private:
  std::vector<Place> places_;  // by device
  std::map<std::string, std::uint32_t> first_device_;
  bool all_apart_ = true;
};

}  // namespace rigel
