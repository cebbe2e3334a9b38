#include "replay/write_guard.hpp"

#include <blkid.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "replay/open_files.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

namespace fs = std::filesystem;

struct BlockNode {
  std::string name;    // "sda1"
  std::string number;  // "8:1"
};

std::string first_line(const fs::path& path) {
  std::ifstream file{path};
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<std::string> entries(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

// The device and its partitions.
std::vector<BlockNode> nodes_of(dev_t device, const WriteGuardPaths& paths) {
  const std::string number = fmt::format("{}:{}", major(device), minor(device));
  const fs::path directory = fs::path{paths.sysfs} / "dev/block" / number;
  std::error_code error;
  const fs::path real = fs::canonical(directory, error);
  std::vector<BlockNode> nodes{{error ? number : real.filename().string(), number}};
  if (error) return nodes;
  for (const std::string& name : entries(real)) {
    if (fs::exists(real / name / "partition"))
      nodes.push_back({name, first_line(real / name / "dev")});
  }
  return nodes;
}

// Mount points contain blanks as \040 (proc(5)); good enough to be recognised.
void find_mounts(const BlockNode& node, const WriteGuardPaths& paths,
                 std::vector<std::string>& found) {
  std::ifstream file{paths.mountinfo};
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields{line};
    std::string id;
    std::string parent;
    std::string number;
    std::string root;
    std::string point;
    fields >> id >> parent >> number >> root >> point;
    if (number == node.number)
      found.push_back(fmt::format("{} is mounted on {}", node.name, point));
  }
}

// `self` is the device or file looked at, by what stat() says of it.
bool is_same(const std::string& path, const struct stat& self) {
  struct stat other = {};
  if (stat(path.c_str(), &other) != 0) return false;
  if (S_ISBLK(other.st_mode) && S_ISBLK(self.st_mode)) return other.st_rdev == self.st_rdev;
  return other.st_dev == self.st_dev && other.st_ino == self.st_ino;
}

void find_swaps(const std::vector<BlockNode>& nodes, const struct stat& self,
                const WriteGuardPaths& paths, std::vector<std::string>& found) {
  std::ifstream file{paths.swaps};
  std::string line;
  std::getline(file, line);  // the heading
  while (std::getline(file, line)) {
    const std::string path = line.substr(0, line.find_first_of(" \t"));
    struct stat other = {};
    const bool part =
        stat(path.c_str(), &other) == 0 && S_ISBLK(other.st_mode) &&
        std::any_of(nodes.begin(), nodes.end(), [&](const BlockNode& node) {
          return node.number == fmt::format("{}:{}", major(other.st_rdev), minor(other.st_rdev));
        });
    if (part || is_same(path, self)) found.push_back(path + " is swapped on");
  }
}

void find_holders(const BlockNode& node, const WriteGuardPaths& paths,
                  std::vector<std::string>& found) {
  for (const std::string& holder :
       entries(fs::path{paths.sysfs} / "dev/block" / node.number / "holders")) {
    const std::string dm_name = first_line(fs::path{paths.sysfs} / "block" / holder / "dm/name");
    found.push_back(fmt::format("{} is held by {}{}", node.name, holder,
                                dm_name.empty() ? "" : " (" + dm_name + ")"));
  }
}

void find_loops(const struct stat& self, const WriteGuardPaths& paths,
                std::vector<std::string>& found) {
  const fs::path block = fs::path{paths.sysfs} / "block";
  for (const std::string& name : entries(block)) {
    const std::string backing = first_line(block / name / "loop/backing_file");
    if (!backing.empty() && is_same(backing, self)) {
      found.push_back(fmt::format("it is the storage of {}", name));
    }
  }
}

// Programs such as udev look at a device for a moment: only what stays is in the way.
void find_users(const std::vector<BlockNode>& nodes, const struct stat& self,
                const WriteGuardPaths& paths, std::vector<std::string>& found) {
  constexpr int kLooks = 5;
  constexpr auto kBetweenLooks = std::chrono::milliseconds{100};
  std::vector<struct stat> files{self};
  for (const BlockNode& node : nodes) {
    unsigned major = 0;
    unsigned minor = 0;
    if (std::sscanf(node.number.c_str(), "%u:%u", &major, &minor) != 2) continue;
    files.push_back(self);
    files.back().st_rdev = makedev(major, minor);
  }
  std::vector<std::string> users = processes_with_open(files, paths.proc);
  for (int look = 1; look < kLooks && !users.empty(); ++look) {
    std::this_thread::sleep_for(kBetweenLooks);
    users = processes_with_open(files, paths.proc);
  }
  if (!users.empty()) {
    found.push_back(fmt::format("it is open in process {}", fmt::join(users, ", ")));
  }
}

struct CloseFile {
  int fd;
  ~CloseFile() { close(fd); }
};

std::vector<std::string> find_labels(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw system_error(path, "cannot be looked at before writing", errno);
  const CloseFile closer{fd};
  const std::unique_ptr<blkid_struct_probe, decltype(&blkid_free_probe)> probe{blkid_new_probe(),
                                                                               blkid_free_probe};
  if (!probe || blkid_probe_set_device(probe.get(), fd, 0, 0) != 0) {
    throw Error{path + ": cannot be searched for filesystems"};
  }
  blkid_probe_enable_superblocks(probe.get(), 1);
  blkid_probe_set_superblocks_flags(probe.get(),
                                    BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM);
  blkid_probe_enable_partitions(probe.get(), 1);
  blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_MAGIC);
  std::vector<std::string> labels;
  int code = 0;
  // One signature after the other, whether they contradict each other or not.
  while ((code = blkid_do_probe(probe.get())) == 0) {
    const auto value = [&](const char* key) {
      const char* data = nullptr;
      return blkid_probe_lookup_value(probe.get(), key, &data, nullptr) == 0 ? std::string{data}
                                                                             : std::string{};
    };
    const std::string type = value("TYPE");
    const std::string table = value("PTTYPE");
    const std::string label = value("LABEL");
    const std::string named = label.empty() ? "" : " '" + label + "'";
    if (!type.empty()) labels.push_back(fmt::format("it carries {}{}", type, named));
    if (!table.empty()) labels.push_back(fmt::format("it carries a {} partition table", table));
  }
  if (code < 0) throw system_error(path, "cannot be read to search for filesystems", errno);
  return labels;
}

// Whether a file has anything but zeros in it, looked at in places evenly spread from its first
// byte on. A database's file has no label that libblkid knows, and is lost all the same.
bool holds_data(const std::string& path, std::uint64_t size_bytes) {
  constexpr std::uint64_t kPlaces = 256;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw system_error(path, "cannot be looked at before writing", errno);
  const CloseFile closer{fd};
  std::vector<char> block(16384);
  for (std::uint64_t place = 0; place < kPlaces; ++place) {
    const auto offset = static_cast<off_t>(size_bytes / kPlaces * place);
    const ssize_t got = pread(fd, block.data(), block.size(), offset);
    if (got < 0) throw system_error(path, "cannot be looked at before writing", errno);
    if (std::any_of(block.begin(), block.begin() + got, [](char c) { return c != 0; })) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> uses_of_device(dev_t device, const WriteGuardPaths& paths) {
  std::vector<std::string> uses;
  for (const BlockNode& node : nodes_of(device, paths)) {
    find_mounts(node, paths, uses);
    find_holders(node, paths, uses);
  }
  return uses;
}

WriteObjections write_objections(const std::string& path, const WriteGuardPaths& paths) {
  struct stat self = {};
  if (stat(path.c_str(), &self) != 0) throw system_error(path, "cannot be a target", errno);
  WriteObjections objections;
  std::vector<BlockNode> nodes;
  if (S_ISBLK(self.st_mode)) {
    nodes = nodes_of(self.st_rdev, paths);
    objections.in_use = uses_of_device(self.st_rdev, paths);
  }
  find_swaps(nodes, self, paths, objections.in_use);
  find_loops(self, paths, objections.in_use);
  find_users(nodes, self, paths, objections.in_use);
  objections.labels = find_labels(path);
  if (S_ISREG(self.st_mode) && objections.labels.empty() &&
      holds_data(path, static_cast<std::uint64_t>(self.st_size))) {
    objections.labels.emplace_back("it is a file with data in it");
  }
  return objections;
}

void refuse_unless_writable(const std::string& path, std::span<const std::string> destroy,
                            const WriteGuardPaths& paths) {
  const WriteObjections objections = write_objections(path, paths);
  if (!objections.in_use.empty()) {
    throw Error{
        fmt::format("{}: will not be written: {}", path, fmt::join(objections.in_use, "; "))};
  }
  if (objections.labels.empty()) return;
  if (std::find(destroy.begin(), destroy.end(), path) != destroy.end()) return;
  throw Error{fmt::format(
      "{}: will not be written: {} (what is on it is lost for good if you say --destroy-data {})",
      path, fmt::join(objections.labels, "; "), path)};
}

}  // namespace rigel
