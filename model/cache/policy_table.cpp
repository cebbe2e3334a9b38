#include <array>
#include <string>

#include "model/cache/cache_simulator.hpp"
#include "model/cache/controller_cache.hpp"
#include "model/cache/opt_simulator.hpp"
#include "model/cache/policy_2q.hpp"
#include "model/cache/policy_arc.hpp"
#include "model/cache/policy_clock.hpp"
#include "model/cache/policy_fifo.hpp"
#include "model/cache/policy_lfu.hpp"
#include "model/cache/policy_lirs.hpp"
#include "model/cache/policy_lru.hpp"
#include "model/cache/policy_lru2.hpp"
#include "model/cache/policy_s3fifo.hpp"
#include "model/cache/policy_sieve.hpp"
#include "model/cache/policy_slru.hpp"
#include "model/cache/policy_wtinylfu.hpp"
#include "traces/error.hpp"

namespace rigel {

namespace {

template <typename Simulator>
std::unique_ptr<CacheSimulator> make(std::uint32_t capacity_pages) {
  return std::make_unique<Simulator>(capacity_pages);
}

template <CachePolicy Policy>
constexpr PolicyEntry entry() {
  return {Policy::kName, Policy::kDescription, make<PolicySimulator<Policy>>,
          [](std::uint32_t capacity_segments,
             const ControllerOptions& options) -> std::unique_ptr<ControllerSimulator> {
            return std::make_unique<ControllerCache<Policy>>(capacity_segments, options);
          }};
}

constexpr std::array kPolicies{
    entry<LruPolicy>(),
    entry<FifoPolicy>(),
    entry<ClockPolicy>(),
    entry<LfuPolicy>(),
    entry<TwoQueuePolicy>(),
    entry<SlruPolicy>(),
    entry<ArcPolicy>(),
    entry<LirsPolicy>(),
    entry<Lru2Policy>(),
    entry<S3FifoPolicy>(),
    entry<SievePolicy>(),
    entry<WTinyLfuPolicy>(),
    PolicyEntry{OptSimulator::kName, OptSimulator::kDescription, make<OptSimulator>, nullptr},
};

// What happens as time goes on, not what is there at the end.
constexpr std::array kEvents{
    &ControllerCounts::disk_reads,
    &ControllerCounts::disk_writes,
    &ControllerCounts::flash_hits,
    &ControllerCounts::dirty_read_hits,
    &ControllerCounts::overwrites,
    &ControllerCounts::destaged_by_age,
    &ControllerCounts::destaged_by_watermark,
    &ControllerCounts::destaged_by_eviction,
    &ControllerCounts::read_ahead,
    &ControllerCounts::read_ahead_used,
    &ControllerCounts::read_ahead_wasted,
};

}  // namespace

ControllerCounts& ControllerCounts::operator-=(const ControllerCounts& other) {
  for (std::uint64_t ControllerCounts::*const count : kEvents) this->*count -= other.*count;
  return *this;
}

std::span<const PolicyEntry> policies() {
  return kPolicies;
}

const PolicyEntry& find_policy(std::string_view name) {
  std::string names;
  for (const PolicyEntry& entry : kPolicies) {
    if (entry.name == name) return entry;
    names += (names.empty() ? "" : ", ") + std::string{entry.name};
  }
  throw UsageError{"no cache policy '" + std::string{name} + "': there are " + names};
}

}  // namespace rigel
