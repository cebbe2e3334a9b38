// A cache of one size and one policy, fed a trace's pages, and what it hits.
//
// CacheSimulator is what callers hold; PolicySimulator<P> is it for one policy, its loop compiled
// for that policy. `make_simulator("arc", pages)` finds the policy in the table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "model/cache/block_consumer.hpp"
#include "model/cache/cache_policy.hpp"
#include "model/cache/hit_ratio.hpp"

namespace rigel {

// Counts hits and misses as they come, in integers.
class HitTally {
 public:
  void note(PageAccess access, bool hit) {
    const std::size_t write = access.write() ? 1 : 0;
    const std::size_t outcome = hit ? 1 : 0;
    ++pages_[outcome][write];
    bytes_[outcome][write] += access.bytes();
    request_hit_ = request_hit_ && hit;
    if (access.last()) {
      ++requests_[request_hit_ ? 1 : 0][write];
      request_hit_ = true;
    }
  }
  // The same for an access that does not count.
  void pass(PageAccess access, bool hit) { request_hit_ = access.last() || (request_hit_ && hit); }
  [[nodiscard]] AccessCounts hits() const { return counts(1); }
  [[nodiscard]] AccessCounts total() const {
    AccessCounts all = counts(0);
    all += counts(1);
    return all;
  }

 private:
  [[nodiscard]] AccessCounts counts(std::size_t outcome) const {
    AccessCounts counts;
    for (std::size_t write = 0; write < 2; ++write) {
      counts.pages[write] = static_cast<double>(pages_[outcome][write]);
      counts.bytes[write] = static_cast<double>(bytes_[outcome][write]);
      counts.requests[write] = static_cast<double>(requests_[outcome][write]);
    }
    return counts;
  }

  using Counters = std::array<std::array<std::uint64_t, 2>, 2>;  // [hit][write]
  Counters pages_{};
  Counters bytes_{};
  Counters requests_{};
  bool request_hit_ = true;  // so far, of the request under way
};

class CacheSimulator : public BlockConsumer {
 public:
  // Of the counted accesses; valid after finish().
  [[nodiscard]] const HitTally& tally() const { return tally_; }

 protected:
  HitTally tally_;
};

template <CachePolicy Policy>
class PolicySimulator final : public CacheSimulator {
 public:
  explicit PolicySimulator(std::uint32_t capacity_pages) : policy_{capacity_pages} {}

  void add(const PageBlock& block) override {
    if (block.ids.empty()) return;
    policy_.grow(block.page_count);
    if (block.counted) {
      run(block, [this](PageAccess access, bool hit) { tally_.note(access, hit); });
    } else {
      run(block, [this](PageAccess access, bool hit) { tally_.pass(access, hit); });
    }
  }

 private:
  // Accesses by which page state is fetched ahead of its use.
  static constexpr std::size_t kFar = 24;
  static constexpr std::size_t kNear = 8;

  template <typename Note>
  void run(const PageBlock& block, Note note) {
    const std::vector<PageId>& ids = block.ids;
    const std::size_t last = ids.size() - 1;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      policy_.prefetch(ids[std::min(i + kFar, last)]);
      policy_.prefetch_more(ids[std::min(i + kNear, last)]);
      note(block.accesses[i], policy_.access(ids[i], [](PageId) {}));
    }
  }

  Policy policy_;
};

class ControllerSimulator;
struct ControllerOptions;

struct PolicyEntry {
  std::string_view name;         // for --policy
  std::string_view description;  // one line of the help
  std::unique_ptr<CacheSimulator> (*make)(std::uint32_t capacity_pages);
  // The policy in an array's cache (controller_cache.hpp); none for the bound.
  std::unique_ptr<ControllerSimulator> (*make_controller)(std::uint32_t capacity_segments,
                                                          const ControllerOptions& options);
};

// Every policy, the bound (OPT) last.
[[nodiscard]] std::span<const PolicyEntry> policies();
// Throws UsageError that lists the names when there is none of this one.
[[nodiscard]] const PolicyEntry& find_policy(std::string_view name);

}  // namespace rigel
