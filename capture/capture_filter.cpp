#include "capture/capture_filter.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "block_trace.skel.h"
#include "traces/error.hpp"
#include "traces/io_record.hpp"

namespace rigel {
namespace {

template <typename List>
std::uint32_t checked_count(const List& list, const char* what) {
  if (list.size() > RIGEL_FILTER_TASKS) {
    throw UsageError{
        fmt::format("{} {} to filter by; {} can be", list.size(), what, RIGEL_FILTER_TASKS)};
  }
  return static_cast<std::uint32_t>(list.size());
}

// REQ_OP_* by IoOp; the kernel side counts everything from 31 on as 31.
std::uint32_t kernel_ops(std::uint32_t ops, std::uint8_t zone_append_op) {
  struct Pair {
    IoOp op;
    std::uint32_t numbers;
  };
  const std::uint32_t zone_append = zone_append_op == 0 ? 0 : 1U << zone_append_op;
  const std::array named{Pair{IoOp::kRead, 1U << 0}, Pair{IoOp::kWrite, 1U << 1 | zone_append},
                         Pair{IoOp::kFlush, 1U << 2}, Pair{IoOp::kDiscard, 1U << 3 | 1U << 5},
                         Pair{IoOp::kWriteZeroes, 1U << 9}};
  std::uint32_t all_named = 0;
  std::uint32_t wanted = 0;
  for (const Pair& pair : named) {
    all_named |= pair.numbers;
    if ((ops >> static_cast<unsigned>(pair.op) & 1) != 0) wanted |= pair.numbers;
  }
  if ((ops >> static_cast<unsigned>(IoOp::kOther) & 1) != 0) wanted |= ~all_named;
  return wanted;
}

// The directory of a cgroup, and how far below the root of its filesystem it lies.
struct Cgroup {
  std::uint64_t id;
  std::uint32_t depth;
};

Cgroup find_cgroup(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) throw system_error(path, "no such cgroup", errno);
  if (!std::filesystem::exists(path + "/cgroup.procs")) {
    throw UsageError{path + ": not a directory of the cgroup v2 filesystem"};
  }
  Cgroup cgroup{.id = status.st_ino, .depth = 0};
  std::error_code error;
  std::filesystem::path place = std::filesystem::canonical(path, error);
  while (std::filesystem::exists(place.parent_path() / "cgroup.procs")) {
    place = place.parent_path();
    ++cgroup.depth;
  }
  return cgroup;
}

}  // namespace

void apply_filter(const CaptureFilter& filter, const KernelFlavour& flavour,
                  block_trace_bpf& skeleton) {
  auto& rodata = *skeleton.rodata;
  rodata.op_mask = kernel_ops(filter.ops, flavour.zone_append_op);
  rodata.least_latency_ns = static_cast<std::uint64_t>(filter.least_latency_ns);
  rodata.tgid_count = checked_count(filter.pids, "processes");
  std::copy(filter.pids.begin(), filter.pids.end(), rodata.tgids);
  rodata.comm_count = checked_count(filter.comms, "names of processes");
  for (std::size_t i = 0; i < filter.comms.size(); ++i) {
    if (filter.comms[i].size() >= RIGEL_COMM_BYTES) {
      throw UsageError{
          fmt::format("'{}' is longer than the 15 characters that the kernel keeps of "
                      "a process's name",
                      filter.comms[i])};
    }
    std::memcpy(rodata.comms[i], filter.comms[i].data(), filter.comms[i].size());
  }
  if (!filter.cgroup.empty()) {
    const Cgroup cgroup = find_cgroup(filter.cgroup);
    rodata.wanted_cgroup = cgroup.id;
    rodata.wanted_cgroup_depth = cgroup.depth;
  }
  rodata.sample_one_in = std::max<std::uint32_t>(filter.sample_one_in, 1);
  rodata.filters_submitter = !filter.pids.empty() || !filter.comms.empty() ||
                             !filter.cgroup.empty() || filter.sample_one_in > 1;
  rodata.skips_unseen =
      rodata.filters_submitter != 0 || ~rodata.op_mask != 0 || rodata.least_latency_ns != 0;
}

}  // namespace rigel
