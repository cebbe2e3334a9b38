// The working set over time: how many different pages each window of time touches (Denning, "The
// working set model for program behavior", CACM 11(5), 1968).
// 4 bytes a page and 24 for each window in which anything happened. One thread; no errors.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cache/block_consumer.hpp"

namespace rigel {

struct WindowUse {
  std::uint64_t window = 0;  // its number, from the trace's first request
  std::uint64_t accesses = 0;
  std::uint64_t distinct_pages = 0;
};

class WorkingSet final : public BlockConsumer {
 public:
  // Numbered blocks of a stream with windows, warm-up included.
  void add(const PageBlock& block) override {
    if (windows_.empty() || windows_.back().window != block.window) {
      windows_.push_back({.window = block.window});
    }
    last_.resize(block.page_count, 0);
    WindowUse& use = windows_.back();
    const auto now = static_cast<std::uint32_t>(windows_.size());
    for (const PageId page : block.ids) {
      use.distinct_pages += last_[page] != now ? 1 : 0;
      last_[page] = now;
    }
    use.accesses += block.size();
  }
  [[nodiscard]] const std::vector<WindowUse>& windows() const { return windows_; }

 private:
  std::vector<WindowUse> windows_;
  std::vector<std::uint32_t> last_;  // for each page, how many windows there were when it was used
};

}  // namespace rigel
