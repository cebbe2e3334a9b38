#include "replay/address_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

constexpr std::array<std::pair<std::string_view, FitMode>, 4> kFitModes{{
    {"strict", FitMode::kStrict},
    {"wrap", FitMode::kWrap},
    {"scale", FitMode::kScale},
    {"hash", FitMode::kHash},
}};

constexpr const char* kNoRoute = "device not mapped to a target";
constexpr const char* kBeyondEnd = "beyond the end of the target";
constexpr const char* kTooLong = "longer than its part of the target";
constexpr const char* kMisaligned = "not a multiple of the target's block size";

// a * b / c without overflow.
std::uint64_t multiply_divide(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{a} * b / c);
}

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

FitMode parse_fit_mode(std::string_view text) {
  for (const auto& [name, mode] : kFitModes) {
    if (text == name) return mode;
  }
  throw UsageError{fmt::format("--fit {}: must be strict, wrap, scale or hash", text)};
}

AddressMap::AddressMap(std::span<const TargetShape> targets, const AddressMapOptions& options)
    : targets_(targets.begin(), targets.end()), options_(options) {
  for (const MapRule& rule : options_.rules) {
    const TargetShape& target = targets_.at(rule.target);
    if (rule.base_bytes % target.block_bytes != 0) {
      throw UsageError{fmt::format("--map {}: offset {} is not a multiple of {}'s {}-byte blocks",
                                   rule.device, rule.base_bytes, target.path, target.block_bytes)};
    }
    if (rule.base_bytes >= target.size_bytes) {
      throw UsageError{fmt::format("--map {}: offset {} is beyond the end of {} ({})", rule.device,
                                   rule.base_bytes, target.path, format_bytes(target.size_bytes))};
    }
  }
}

void AddressMap::add_device(const DeviceInfo& device) {
  Route route;
  const MapRule* found = nullptr;
  for (const MapRule& rule : options_.rules) {
    if (rule.device == device.name) {
      found = &rule;
      break;
    }
    if (rule.device == "*" && found == nullptr) found = &rule;
  }
  if (found != nullptr) {
    const TargetShape& target = targets_[found->target];
    route.exists = true;
    route.target = found->target;
    route.block_bytes = target.block_bytes;
    route.base_bytes = found->base_bytes;
    route.window_bytes = (target.size_bytes - found->base_bytes) / options_.regions;
    const std::uint64_t unit = options_.regions > 1 ? kExtentBytes : target.block_bytes;
    route.window_bytes -= route.window_bytes % unit;
    route.device_bytes = device.size_bytes;
    route.salt = mix(routes_.size());
    if (route.window_bytes == 0) {
      throw UsageError{fmt::format("{} is too small for {} regions of at least {}", target.path,
                                   options_.regions, format_bytes(kExtentBytes))};
    }
    if (options_.fit == FitMode::kScale && device.size_bytes == 0) {
      throw UsageError{fmt::format(
          "--fit scale: the trace does not say how large '{}' was; use wrap or hash", device.name)};
    }
  }
  route.name = device.name;
  if (route.exists) note_sharing(route);
  routes_.push_back(route);
}

// Devices that begin at one place of a target, or whose known size reaches into the next one's.
void AddressMap::note_sharing(const Route& route) {
  for (const Route& other : routes_) {
    if (!other.exists || other.target != route.target) continue;
    const Route& low = other.base_bytes <= route.base_bytes ? other : route;
    const Route& high = &low == &route ? other : route;
    if (low.base_bytes != high.base_bytes &&
        (low.device_bytes == 0 || low.base_bytes + low.device_bytes <= high.base_bytes)) {
      continue;
    }
    notes_.push_back(fmt::format(
        "devices '{}' and '{}' of the trace share addresses of {}: give each an own part of it by "
        "--map DEVICE=TARGET@OFFSET if they are not to meet",
        other.name, route.name, targets_[route.target].path));
    return;
  }
}

std::vector<std::string> AddressMap::vain_rules() const {
  std::string names;
  for (const Route& route : routes_) names += (names.empty() ? "'" : ", '") + route.name + "'";
  std::vector<std::string> lines;
  for (const MapRule& rule : options_.rules) {
    const auto is_meant = [&](const Route& route) { return route.name == rule.device; };
    if (rule.device == "*" || std::any_of(routes_.begin(), routes_.end(), is_meant)) continue;
    lines.push_back(fmt::format("--map {}: the trace has no device of this name, but {}",
                                rule.device, names.empty() ? "none at all" : names));
  }
  return lines;
}

MappedIo AddressMap::map(std::uint32_t device, unsigned region, std::uint64_t offset_bytes,
                         std::uint32_t length_bytes) const {
  const Route& route = routes_[device];
  MappedIo io;
  io.target = route.target;
  if (!route.exists) {
    io.refused = kNoRoute;
    return io;
  }
  if (length_bytes == 0) return io;
  std::uint64_t begin = offset_bytes;
  std::uint64_t length = length_bytes;
  const std::uint64_t block = route.block_bytes;
  if ((begin | length) % block != 0) {
    if (!options_.align) {
      io.refused = kMisaligned;
      return io;
    }
    length += begin % block;
    begin -= begin % block;
    length += (block - length % block) % block;
    io.widened = true;
  }
  if (length > route.window_bytes || length > std::numeric_limits<std::uint32_t>::max()) {
    io.refused = kTooLong;
    return io;
  }
  io.length_bytes = static_cast<std::uint32_t>(length);
  if (options_.fit == FitMode::kStrict && begin > route.window_bytes - length) {
    io.refused = kBeyondEnd;
    return io;
  }
  const std::uint64_t fitted = fit(route, region, begin, io.length_bytes);
  io.moved = fitted != begin;
  io.offset_bytes = route.base_bytes + region * route.window_bytes + fitted;
  return io;
}

std::uint64_t AddressMap::fit(const Route& route, unsigned region, std::uint64_t offset_bytes,
                              std::uint32_t length_bytes) const {
  std::uint64_t place = offset_bytes;
  const std::uint64_t extent = offset_bytes / kExtentBytes;
  const std::uint64_t extents = std::max<std::uint64_t>(route.window_bytes / kExtentBytes, 1);
  switch (options_.fit) {
    case FitMode::kStrict:
      return place;
    case FitMode::kWrap:
      place = offset_bytes % route.window_bytes;
      break;
    case FitMode::kScale: {
      const std::uint64_t device_extents =
          std::max((route.device_bytes + kExtentBytes - 1) / kExtentBytes, extent + 1);
      place = multiply_divide(extent, extents, device_extents) * kExtentBytes +
              offset_bytes % kExtentBytes;
      break;
    }
    case FitMode::kHash:
      place = mix(mix(extent ^ route.salt) + region) % extents * kExtentBytes +
              offset_bytes % kExtentBytes;
      break;
  }
  // The window is a multiple of the block size, so what was aligned to blocks stays so.
  const std::uint64_t last = route.window_bytes - length_bytes;
  return std::min(place, last);
}

}  // namespace rigel
