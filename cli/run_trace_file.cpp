#include "cli/run_trace_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "traces/byte_sink.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

DeviceInfo device_of(const Target& target) {
  DeviceInfo device;
  device.name = target.path();
  device.size_bytes = target.size_bytes();
  device.logical_block_bytes = target.block_bytes();
  struct stat status = {};
  if (!target.is_block_device() || fstat(target.fd(), &status) != 0) return device;
  device.major = major(status.st_rdev);
  device.minor = minor(status.st_rdev);
  std::error_code error;
  const std::filesystem::path entry = std::filesystem::canonical(
      fmt::format("/sys/dev/block/{}:{}", device.major, device.minor), error);
  if (!error) device.name = entry.filename().string();
  return device;
}

TraceTables tables_of(TraceMeta meta, std::span<const Target> targets) {
  TraceTables tables;
  tables.meta = std::move(meta);
  for (const Target& target : targets) tables.devices.push_back(device_of(target));
  return tables;
}

}  // namespace

RunTraceFile::RunTraceFile(const std::string& path, TraceMeta meta, std::span<const Target> targets,
                           std::function<void(TraceTables&)> add_streams)
    : path_{path},
      writer_{create_file(path)},
      recorder_{{&writer_, [this](const TraceTables& tables) { writer_.flush(tables); },
                 std::move(add_streams), tables_of(std::move(meta), targets)}} {}

void RunTraceFile::finish() {
  recorder_.finish();
  if (recorder_.lost() > 0) {
    fmt::print(stderr,
               "rigel: warning: {}: {} I/Os are not in it: it could not be written fast enough\n",
               path_, format_count(recorder_.lost()));
  }
  if (recorder_.out_of_order() > 0) {
    fmt::print(stderr, "rigel: warning: {}: {} I/Os are not in order of issue\n", path_,
               format_count(recorder_.out_of_order()));
  }
}

}  // namespace rigel
