#include "cli/run_trace_file.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "replay/device_names.hpp"
#include "traces/byte_sink.hpp"
#include "traces/quantity.hpp"

namespace rigel {
namespace {

DeviceInfo device_of(const Target& target) {
  const DeviceNames names = names_of(target);
  DeviceInfo device;
  device.name = names.name;
  device.major = names.major;
  device.minor = names.minor;
  device.size_bytes = target.size_bytes();
  device.logical_block_bytes = target.block_bytes();
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
