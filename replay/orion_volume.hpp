// The LUNs of an ORION run as one address space: one behind the other (concat), or striped over
// round robin (raid0, of the size that all of them have, in whole stripes).
// Immutable after construction; the constructor throws UsageError when an I/O would not fit.
#pragma once

#include <cstdint>
#include <vector>

namespace rigel {

struct VolumeExtent {
  std::uint16_t lun = 0;
  std::uint64_t offset_bytes = 0;
};

class OrionVolume {
 public:
  // stripe_bytes 0: concat.
  OrionVolume(std::vector<std::uint64_t> lun_bytes, std::uint64_t stripe_bytes);

  // How many I/Os of this size there are room for, none crossing from one LUN or stripe to the next
  // (of I/Os larger than a stripe: each begins on one and goes on behind it on the same LUN).
  [[nodiscard]] std::uint64_t slots(std::uint64_t io_bytes) const;
  // Where slot number `slot` of that size lies.
  [[nodiscard]] VolumeExtent locate(std::uint64_t slot, std::uint64_t io_bytes) const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  std::vector<std::uint64_t> lun_bytes_;
  std::uint64_t stripe_bytes_;
};

}  // namespace rigel
