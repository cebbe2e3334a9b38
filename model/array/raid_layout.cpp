#include "model/array/raid_layout.hpp"

#include <algorithm>

namespace rigel {

RaidLayout::RaidLayout(const ArrayConfig& config)
    : level_{config.raid.level},
      disks_{config.disks.count},
      parities_{level_ == 5   ? 1U
                : level_ == 6 ? 2U
                              : 0U},
      stripe_{config.raid.stripe_bytes} {
  const bool mirrored = level_ == 1 || level_ == 10;
  data_disks_ = mirrored ? disks_ / 2 : disks_ - parities_;
  disk_bytes_ = std::max(stripe_, config.disks.bytes / stripe_ * stripe_);
}

template <typename Visit>
void RaidLayout::for_each_place(std::uint64_t offset_bytes, std::uint64_t length_bytes,
                                Visit visit) const {
  while (length_bytes > 0) {
    const std::uint64_t chunk = offset_bytes / stripe_;
    const std::uint64_t within = offset_bytes % stripe_;
    const std::uint64_t here = std::min(length_bytes, stripe_ - within);
    const std::uint64_t row = chunk / data_disks_;
    visit(Place{row, static_cast<std::uint32_t>(chunk % data_disks_),
                (row * stripe_) % disk_bytes_ + within, static_cast<std::uint32_t>(here)});
    offset_bytes += here;
    length_bytes -= here;
  }
}

// The first of a row's parity disks; it moves one to the left from row to row.
std::uint32_t RaidLayout::parity_disk(std::uint64_t row) const {
  return disks_ - 1 - static_cast<std::uint32_t>(row % disks_);
}

std::uint32_t RaidLayout::data_disk(const Place& place) const {
  if (parities_ == 0) return place.column;
  return (parity_disk(place.row) + parities_ + place.column) % disks_;
}

void RaidLayout::read(std::uint64_t offset_bytes, std::uint64_t length_bytes, std::uint64_t turn,
                      std::vector<DiskIo>& ios) const {
  const bool mirrored = level_ == 1 || level_ == 10;
  for_each_place(offset_bytes, length_bytes, [&](const Place& place) {
    std::uint32_t disk = data_disk(place);
    if (mirrored) disk = 2 * disk + static_cast<std::uint32_t>(turn & 1);
    ios.push_back({place.offset_bytes, place.length_bytes, disk, false});
  });
}

void RaidLayout::write(std::uint64_t offset_bytes, std::uint64_t length_bytes,
                       DiskWrite& ios) const {
  std::vector<Place> row;
  for_each_place(offset_bytes, length_bytes, [&](const Place& place) {
    if (!row.empty() && row.front().row != place.row) {
      write_row(row, ios);
      row.clear();
    }
    row.push_back(place);
  });
  if (!row.empty()) write_row(row, ios);
}

void RaidLayout::write_row(const std::vector<Place>& row, DiskWrite& ios) const {
  if (parities_ == 0) {
    const bool mirrored = level_ == 1 || level_ == 10;
    for (const Place& place : row) {
      const std::uint32_t disk = data_disk(place);
      ios.first.push_back(
          {place.offset_bytes, place.length_bytes, mirrored ? 2 * disk : disk, true});
      if (mirrored) {
        ios.first.push_back({place.offset_bytes, place.length_bytes, 2 * disk + 1, true});
      }
    }
    return;
  }
  // Parity covers what any column of the row writes.
  std::uint64_t begin = row.front().offset_bytes;
  std::uint64_t end = begin;
  std::uint64_t written = 0;
  for (const Place& place : row) {
    begin = std::min(begin, place.offset_bytes);
    end = std::max(end, place.offset_bytes + place.length_bytes);
    written += place.length_bytes;
  }
  const bool whole_row = written == row_bytes();
  const auto touch = [&](std::uint64_t offset, std::uint64_t length, std::uint32_t disk) {
    DiskIo io{offset, static_cast<std::uint32_t>(length), disk, false};
    if (!whole_row) ios.first.push_back(io);
    io.write = true;
    (whole_row ? ios.first : ios.second).push_back(io);
  };
  for (const Place& place : row) touch(place.offset_bytes, place.length_bytes, data_disk(place));
  for (std::uint32_t parity = 0; parity < parities_; ++parity) {
    touch(begin, end - begin, (parity_disk(row.front().row) + parity) % disks_);
  }
}

}  // namespace rigel
