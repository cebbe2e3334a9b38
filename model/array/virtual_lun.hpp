// A simulated array that is there: a FUSE file, or a block device over it, whose I/Os take the time
// that ArraySimulator says they take, by the clock on the wall. The same simulator as in
// simulation.hpp; only time is real. Data is kept by a LunStore.
//
// What the host itself adds (the kernel's way to this process and back) is measured first, by
// timed reads at a known delay, and taken off every answer: an I/O counts as having come `in`
// before it was heard of and is answered `out` before it is due.
//
// One thread serves; see lun_guardian.hpp for the process beside it. Make it before other threads
// are started. Throws Error for what cannot be mounted or attached; a failure of the store is the
// I/O's own (EIO, ENOSPC) and counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "model/array/array_config.hpp"
#include "model/array/array_simulator.hpp"
#include "model/array/load_meter.hpp"
#include "model/array/lun_guardian.hpp"
#include "model/array/lun_store.hpp"
#include "traces/latency_histogram.hpp"

namespace rigel {

struct LunOptions {
  LunPlace place;
  ArrayConfig array;
  std::uint64_t size_bytes = 0;  // a multiple of the block
  std::uint64_t seed = 1;
  bool warm = false;  // begin with the cache as long uniform reading would have left it
};

struct LunReport {
  LoadResult load;  // what was answered, as simulated
  ArrayCounters counters;
  unsigned most_outstanding = 0;
  LatencyHistogram lateness;  // of answers, after they were due
  std::int64_t overhead_in_ns = 0;
  std::int64_t overhead_out_ns = 0;
  std::map<int, std::uint64_t> errors;  // of the store, by errno
};

class VirtualLun {
 public:
  VirtualLun(const LunOptions& options, std::unique_ptr<LunStore> store);
  ~VirtualLun();

  // Serves until `stop` is set, and then what is under way. `tick` is called ten times a second,
  // with the device or file once it can be used, before that with nothing. One call in a lifetime.
  using Tick = std::function<void(const std::string& device)>;
  void serve(const std::atomic<bool>& stop, const Tick& tick);

  // What happened since it could be used.
  [[nodiscard]] LunReport report() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace rigel
