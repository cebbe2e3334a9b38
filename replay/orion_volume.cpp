#include "replay/orion_volume.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "traces/error.hpp"

namespace rigel {

OrionVolume::OrionVolume(std::vector<std::uint64_t> lun_bytes, std::uint64_t stripe_bytes)
    : lun_bytes_{std::move(lun_bytes)}, stripe_bytes_{stripe_bytes} {
  if (lun_bytes_.empty()) throw UsageError{"no LUN to run on"};
  if (stripe_bytes_ == 0) return;
  // Striped, every LUN counts as much as the smallest.
  const std::uint64_t usable = *std::min_element(lun_bytes_.begin(), lun_bytes_.end());
  for (std::uint64_t& bytes : lun_bytes_) bytes = usable;
}

std::uint64_t OrionVolume::bytes() const {
  return std::accumulate(lun_bytes_.begin(), lun_bytes_.end(), std::uint64_t{0});
}

std::uint64_t OrionVolume::slots(std::uint64_t io_bytes) const {
  std::uint64_t total = 0;
  for (const std::uint64_t bytes : lun_bytes_) total += bytes / io_bytes;
  return total;
}

VolumeExtent OrionVolume::locate(std::uint64_t slot, std::uint64_t io_bytes) const {
  if (stripe_bytes_ == 0) {
    std::uint16_t lun = 0;
    for (; slot >= lun_bytes_[lun] / io_bytes; ++lun) slot -= lun_bytes_[lun] / io_bytes;
    return {lun, slot * io_bytes};
  }
  const std::uint64_t per_stripe = std::max<std::uint64_t>(1, stripe_bytes_ / io_bytes);
  const std::uint64_t luns = lun_bytes_.size();
  const std::uint64_t per_lun = lun_bytes_[0] / io_bytes;
  const std::uint64_t striped = per_lun / per_stripe * per_stripe * luns;
  // What is left behind the last whole stripe is laid out LUN by LUN.
  if (slot >= striped) {
    const std::uint64_t rest = per_lun % per_stripe;
    const std::uint64_t tail = slot - striped;
    return {static_cast<std::uint16_t>(tail / rest), (per_lun - rest + tail % rest) * io_bytes};
  }
  const std::uint64_t stripe = slot / per_stripe;
  return {static_cast<std::uint16_t>(stripe % luns),
          (stripe / luns * per_stripe + slot % per_stripe) * io_bytes};
}

}  // namespace rigel
