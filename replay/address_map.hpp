// Where a recorded I/O goes on the targets of a replay.
//
// Every device of the trace has a route to a window of a target; an address outside of the window
// is fitted into it as FitMode says. What this does to reuse (and so to the hits of a cache):
//   strict  nothing changes; what does not fit is refused
//   wrap    address modulo window: exact while the trace's addresses span no more than the window,
//           otherwise addresses that lie a multiple of it apart become one
//   scale   extents of 1 MiB keep their order, spread or squeezed over the window: exact when the
//           window is at least as large as the device was, otherwise neighbouring extents become
//           one
//   hash    extents of 1 MiB go to random places: order is lost, and of n extents in a window of m
//           about n/2m share their place with another one
// Inside an extent (and for wrap everywhere) distances, and so sequential runs, are kept. An I/O is
// moved back, never cut, when it would cross the window's end.
//
// Not thread safe. The constructor and add_device() throw UsageError or Error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traces/trace_tables.hpp"

namespace rigel {

enum class FitMode : std::uint8_t { kStrict, kWrap, kScale, kHash };
// "strict", "wrap", "scale", "hash"; throws UsageError.
[[nodiscard]] FitMode parse_fit_mode(std::string_view text);

// One `--map DEVICE=TARGET[@OFFSET]`.
struct MapRule {
  std::string device;  // "*": every device without a rule of its own
  std::uint16_t target = 0;
  std::uint64_t base_bytes = 0;  // where on the target the device begins
};

struct TargetShape {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::uint32_t block_bytes = 512;
};

struct AddressMapOptions {
  std::vector<MapRule> rules;
  FitMode fit = FitMode::kStrict;
  bool align = false;    // widen to the target's blocks what is not a multiple of them
  unsigned regions = 1;  // cut each window into this many, one for each copy of the workload
};

struct MappedIo {
  const char* refused = nullptr;  // why it cannot be issued; the rest is then void
  std::uint16_t target = 0;
  std::uint64_t offset_bytes = 0;
  std::uint32_t length_bytes = 0;
  bool moved = false;    // fitted into the window
  bool widened = false;  // to whole blocks
};

class AddressMap {
 public:
  static constexpr std::uint64_t kExtentBytes = std::uint64_t{1} << 20;

  AddressMap(std::span<const TargetShape> targets, const AddressMapOptions& options);

  // Devices are told in the order of TraceTables::devices.
  void add_device(const DeviceInfo& device);
  [[nodiscard]] std::size_t devices() const { return routes_.size(); }
  // What is odd about the routes so far: devices of the trace that share addresses of a target.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  // Rules for devices that were not added, one line each.
  [[nodiscard]] std::vector<std::string> vain_rules() const;
  // `device` was added; `length_bytes` 0 is a flush, which goes anywhere.
  [[nodiscard]] MappedIo map(std::uint32_t device, unsigned region, std::uint64_t offset_bytes,
                             std::uint32_t length_bytes) const;

 private:
  struct Route {
    bool exists = false;
    std::uint16_t target = 0;
    std::uint32_t block_bytes = 512;
    std::uint64_t base_bytes = 0;
    std::uint64_t window_bytes = 0;  // of one region
    std::uint64_t device_bytes = 0;
    std::uint64_t salt = 0;  // of the hash
    std::string name;
  };
  void note_sharing(const Route& route);
  [[nodiscard]] std::uint64_t fit(const Route& route, unsigned region, std::uint64_t offset_bytes,
                                  std::uint32_t length_bytes) const;

  std::vector<TargetShape> targets_;
  AddressMapOptions options_;
  std::vector<Route> routes_;
  std::vector<std::string> notes_;
};

}  // namespace rigel
