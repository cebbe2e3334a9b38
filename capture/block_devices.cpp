#include "capture/block_devices.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "traces/error.hpp"

namespace rigel {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSectorBytes = 512;  // of /sys, whatever the device's own

std::string read_line(const fs::path& path) {
  std::ifstream file{path};
  std::string line;
  std::getline(file, line);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::uint64_t read_number(const fs::path& path) {
  const std::string line = read_line(path);
  std::uint64_t value = 0;
  std::from_chars(line.data(), line.data() + line.size(), value);
  return value;
}

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  const char* end = text.data() + text.size();
  const auto colon = std::from_chars(text.data(), end, major);
  if (colon.ec != std::errc{} || colon.ptr == end || *colon.ptr != ':') return std::nullopt;
  const auto rest = std::from_chars(colon.ptr + 1, end, minor);
  if (rest.ec != std::errc{} || rest.ptr != end || major >= 1U << 12 || minor >= 1U << 20) {
    return std::nullopt;
  }
  return kernel_device(major, minor);
}

bool has_entries(const fs::path& folder) {
  std::error_code error;
  return fs::directory_iterator{folder, error} != fs::directory_iterator{} && !error;
}

// A loop device over a file that lies on a block device. Filesystems that own several devices
// (btrfs) give their files a device number of their own; their major is 0, as tmpfs's is.
bool is_loop_over_disk(const fs::path& disk) {
  const std::string backing = read_line(disk / "loop" / "backing_file");
  struct stat status = {};
  if (backing.empty() || stat(backing.c_str(), &status) != 0) return false;
  return S_ISBLK(status.st_mode) || major(status.st_dev) != 0;
}

// A multipath device is named after its LUN, with the type of the identifier as a digit (scsi_id's
// way): "mpath-36005…" stands on paths whose own wwid is "naa.6005…".
std::string wwid_of_dm(const std::string& uuid) {
  constexpr std::string_view kMultipath = "mpath-";
  if (uuid.rfind(kMultipath, 0) != 0) return uuid;
  const std::string lun = uuid.substr(kMultipath.size());
  if (lun.rfind('3', 0) == 0) return "naa." + lun.substr(1);
  if (lun.rfind('2', 0) == 0) return "eui." + lun.substr(1);
  return lun;
}

// The LUN's own name, whatever the path to it.
std::string wwid_of(const fs::path& disk) {
  for (const char* name : {"wwid", "device/wwid", "dm/uuid", "device/serial", "serial"}) {
    std::string text = read_line(disk / name);
    if (text.empty()) continue;
    return std::string_view{name} == "dm/uuid" ? wwid_of_dm(text) : text;
  }
  return {};
}

}  // namespace

BlockDevice describe_device(std::uint32_t number, const std::string& sys_root) {
  BlockDevice device;
  device.number = number;
  device.info.major = number >> 20;
  device.info.minor = number & 0xfffff;
  device.info.name = fmt::format("{}:{}", device.info.major, device.info.minor);
  std::error_code error;
  const fs::path place =
      fs::canonical(fs::path{sys_root} / "dev" / "block" / device.info.name, error);
  if (error) return device;
  device.info.name = place.filename();
  device.info.size_bytes = read_number(place / "size") * kSectorBytes;
  fs::path disk = place;
  if (fs::exists(place / "partition", error)) {
    disk = place.parent_path();
    device.info.parent = disk.filename();
    device.info.start_bytes = read_number(place / "start") * kSectorBytes;
  }
  device.info.logical_block_bytes =
      static_cast<std::uint32_t>(read_number(disk / "queue" / "logical_block_size"));
  device.info.wwid = wwid_of(disk);
  device.info.model = read_line(disk / "device" / "model");
  if (const std::string name = read_line(disk / "dm" / "name"); !name.empty()) {
    device.info.model = "device mapper " + name;
  }
  device.is_request_based = fs::exists(disk / "mq", error);
  device.is_layered = has_entries(disk / "slaves") || is_loop_over_disk(disk);
  return device;
}

BlockDevice resolve_device(const std::string& text, const std::string& sys_root) {
  if (const auto number = parse_number(text)) return describe_device(*number, sys_root);
  const std::string path = text.find('/') == std::string::npos ? "/dev/" + text : text;
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) throw system_error(path, "no such device", errno);
  if (!S_ISBLK(status.st_mode)) {
    const std::uint32_t under = kernel_device(major(status.st_dev), minor(status.st_dev));
    const BlockDevice below = describe_device(under, sys_root);
    const bool has_disk = below.info.name.find(':') == std::string::npos;
    throw Error{fmt::format("{}: not a block device{}", path,
                            has_disk ? "; it lies on /dev/" + below.info.name : "")};
  }
  return describe_device(kernel_device(major(status.st_rdev), minor(status.st_rdev)), sys_root);
}

std::vector<BlockDevice> all_disks(const std::string& sys_root) {
  std::vector<BlockDevice> disks;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{fs::path{sys_root} / "block", error}) {
    if (const auto number = parse_number(read_line(entry.path() / "dev"))) {
      disks.push_back(describe_device(*number, sys_root));
    }
  }
  return disks;
}

}  // namespace rigel
