// Where the bytes of a LUN lie on the disks of a RAID set, and which disk I/Os a read or write of
// the LUN needs. Levels after D. A. Patterson, G. Gibson, R. H. Katz, "A Case for Redundant Arrays
// of Inexpensive Disks", SIGMOD 1988: a small write costs 4 disk I/Os in RAID 5 and 6 in RAID 6
// (read old data and parities, then write them), 2 in a mirror; a write of whole rows costs no
// reads. Parity rotates left-symmetrically. Offsets past the disks' end wrap around, so that a LUN
// of any size can be put on disks of any size.
// Immutable; safe from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "model/array/array_config.hpp"

namespace rigel {

struct DiskIo {
  std::uint64_t offset_bytes = 0;  // on the disk
  std::uint32_t length_bytes = 0;
  std::uint32_t disk = 0;
  bool write = false;
};

// The second list begins when all of the first is done.
struct DiskWrite {
  std::vector<DiskIo> first;
  std::vector<DiskIo> second;
};

class RaidLayout {
 public:
  explicit RaidLayout(const ArrayConfig& config);

  // Appends the reads. `turn` chooses among the copies of a mirror.
  void read(std::uint64_t offset_bytes, std::uint64_t length_bytes, std::uint64_t turn,
            std::vector<DiskIo>& ios) const;
  void write(std::uint64_t offset_bytes, std::uint64_t length_bytes, DiskWrite& ios) const;
  // Data bytes of one row across all disks: what a write without reads must cover.
  [[nodiscard]] std::uint64_t row_bytes() const { return stripe_ * data_disks_; }

 private:
  struct Place {
    std::uint64_t row;
    std::uint32_t column;        // among the row's data
    std::uint64_t offset_bytes;  // on the disk
    std::uint32_t length_bytes;
  };
  template <typename Visit>
  void for_each_place(std::uint64_t offset_bytes, std::uint64_t length_bytes, Visit visit) const;
  [[nodiscard]] std::uint32_t data_disk(const Place& place) const;
  [[nodiscard]] std::uint32_t parity_disk(std::uint64_t row) const;
  void write_row(const std::vector<Place>& row, DiskWrite& ios) const;

  unsigned level_;
  std::uint32_t disks_;
  std::uint32_t data_disks_;  // of a row
  std::uint32_t parities_;
  std::uint64_t stripe_;
  std::uint64_t disk_bytes_;  // a multiple of the stripe
};

}  // namespace rigel
