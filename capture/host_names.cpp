#include "capture/host_names.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace rigel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCgroups = 65536;
constexpr std::size_t kOracleSidLongest = 6;  // in "ora_XXXX_SID" cut to 15 characters

// The mount point of the cgroup v2 hierarchy; empty without one.
std::string cgroup_root() {
  std::ifstream mounts{"/proc/self/mounts"};
  std::string device;
  std::string place;
  std::string type;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words{line};
    if (words >> device >> place >> type && type == "cgroup2") return place;
  }
  return {};
}

std::string first_argument(std::uint32_t pid) {
  std::ifstream file{fmt::format("/proc/{}/cmdline", pid), std::ios::binary};
  std::string title;
  std::getline(file, title, '\0');
  while (!title.empty() && title.back() == ' ') title.pop_back();
  return title;
}

std::string environment(std::uint32_t pid, const std::string& name) {
  std::ifstream file{fmt::format("/proc/{}/environ", pid), std::ios::binary};
  for (std::string entry; std::getline(file, entry, '\0');) {
    if (entry.rfind(name + "=", 0) == 0) return entry.substr(name.size() + 1);
  }
  return {};
}

}  // namespace

RunningHost::RunningHost(const ProcessRoles& roles) : roles_{roles} {}

BlockDevice RunningHost::device(std::uint32_t number) {
  return describe_device(number);
}

std::string RunningHost::cgroup_path(std::uint64_t id) {
  if (id == 0) return {};
  const auto found = cgroups_.find(id);
  if (found != cgroups_.end()) return found->second;
  // A cgroup's id is the number of its directory's inode.
  const std::string root = cgroup_root();
  std::error_code error;
  const auto remember = [&](const fs::path& place) {
    struct stat status = {};
    if (stat(place.c_str(), &status) == 0) {
      const std::string path = place.string().substr(root.size());
      cgroups_.emplace(status.st_ino, path.empty() ? "/" : path);
    }
  };
  if (!root.empty()) {
    remember(root);
    for (fs::recursive_directory_iterator entry{root, error}, end;
         !error && entry != end && cgroups_.size() < kMostCgroups; entry.increment(error)) {
      if (entry->is_directory(error)) remember(entry->path());
    }
  }
  return cgroups_.emplace(id, "").first->second;  // unless it is there now
}

StreamInfo RunningHost::stream(std::uint32_t tgid, std::uint32_t tid, const std::string& comm,
                               std::uint64_t cgroup) {
  StreamInfo stream;
  stream.comm = comm;
  stream.pid = tgid;
  stream.tid = tid;
  stream.cgroup = cgroup_path(cgroup);
  if (tgid == 0) return stream;
  ProcessRole role = roles_.role_of({comm, first_argument(tgid), tgid == tid});
  stream.role = std::move(role.role);
  stream.instance = std::move(role.instance);
  if (comm.rfind("ora", 0) == 0 && stream.instance.size() <= kOracleSidLongest) {
    const std::string sid = environment(tgid, "ORACLE_SID");
    if (sid.rfind(stream.instance, 0) == 0) stream.instance = sid;
  }
  return stream;
}

}  // namespace rigel
