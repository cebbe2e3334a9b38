#include <array>
#include <string>

#include "model/cache/cache_simulator.hpp"
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

template <typename Policy, typename Simulator = PolicySimulator<Policy>>
constexpr PolicyEntry entry() {
  return {Policy::kName, Policy::kDescription,
          [](std::uint32_t capacity_pages) -> std::unique_ptr<CacheSimulator> {
            return std::make_unique<Simulator>(capacity_pages);
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
    entry<OptSimulator, OptSimulator>(),
};

}  // namespace

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
