#include "replay/device_names.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace rigel {
namespace {

namespace fs = std::filesystem;

// "host3" of "host": the prefix, then digits only.
bool is_numbered(std::string_view text, std::string_view prefix) {
  return text.size() > prefix.size() && text.substr(0, prefix.size()) == prefix &&
         text.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos;
}

}  // namespace

std::string controller_of(const std::string& sysfs_path) {
  constexpr std::array<std::string_view, 5> kControllers{"host", "nvme", "nvme-subsys", "virtio",
                                                         "mmc"};
  std::string found;
  const fs::path path{sysfs_path};
  for (const fs::path& part : path) {
    for (const std::string_view prefix : kControllers) {
      if (is_numbered(part.string(), prefix)) found = part.string();
    }
  }
  if (!found.empty()) return found;
  const std::string name = path.filename();
  const std::size_t last = name.find_last_not_of("0123456789");
  std::string driver = name.substr(0, last + 1);
  if (!driver.empty() && driver.back() == '-') driver.pop_back();  // dm-3
  return driver;
}

DeviceNames names_of(const Target& target) {
  DeviceNames names;
  names.name = target.path();
  names.controller = "file";
  struct stat status = {};
  if (!target.is_block_device() || fstat(target.fd(), &status) != 0) return names;
  names.major = major(status.st_rdev);
  names.minor = minor(status.st_rdev);
  std::error_code error;
  const fs::path entry =
      fs::canonical(fmt::format("/sys/dev/block/{}:{}", names.major, names.minor), error);
  if (error) return names;
  names.name = entry.filename();
  names.controller = controller_of(entry);
  return names;
}

}  // namespace rigel
