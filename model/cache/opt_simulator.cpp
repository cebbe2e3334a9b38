#include "model/cache/opt_simulator.hpp"

#include <bit>

#include "traces/error.hpp"

namespace rigel {

namespace {

constexpr std::uint32_t kNever = 0xffffffff;

// A set of places in the trace whose largest member is found in a few steps.
class PlaceSet {
 public:
  explicit PlaceSet(std::size_t places) {
    do {
      places = (places + 63) / 64;
      levels_.emplace_back(places, 0);
    } while (places > 1);
  }
  void insert(std::uint32_t place) {
    for (std::vector<std::uint64_t>& level : levels_) {
      level[place / 64] |= std::uint64_t{1} << (place % 64);
      place /= 64;
    }
  }
  void erase(std::uint32_t place) {
    for (std::vector<std::uint64_t>& level : levels_) {
      level[place / 64] &= ~(std::uint64_t{1} << (place % 64));
      if (level[place / 64] != 0) break;
      place /= 64;
    }
  }
  // Of a set that is not empty.
  [[nodiscard]] std::uint32_t largest() const {
    std::uint32_t place = 0;
    for (std::size_t level = levels_.size(); level-- > 0;) {
      const auto top = static_cast<std::uint32_t>(63 - std::countl_zero(levels_[level][place]));
      place = place * 64 + top;
    }
    return place;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  // [0]: the places; above: which words are not 0
};

}  // namespace

void OptSimulator::add(const PageBlock& block) {
  if (ids_.size() + block.size() >= kNever) {
    throw Error{"opt: more than 2^32 - 2 accesses: sample them"};
  }
  if (!block.counted) first_counted_ = ids_.size() + block.size();
  page_count_ = block.page_count;
  ids_.insert(ids_.end(), block.ids.begin(), block.ids.end());
  accesses_.insert(accesses_.end(), block.accesses.begin(), block.accesses.end());
}

// For every access, where its page is accessed next.
std::vector<std::uint32_t> OptSimulator::next_accesses() const {
  std::vector<std::uint32_t> next(ids_.size());
  std::vector<std::uint32_t> seen(page_count_, kNever);
  for (std::size_t i = ids_.size(); i-- > 0;) {
    next[i] = seen[ids_[i]];
    seen[ids_[i]] = static_cast<std::uint32_t>(i);
  }
  return next;
}

void OptSimulator::finish(const GoOn& go_on) {
  constexpr std::size_t kBetweenQuestions = 1U << 16;
  const std::vector<std::uint32_t> next = next_accesses();
  PlaceSet upcoming{ids_.size()};
  std::vector<std::uint8_t> resident(page_count_);
  std::vector<PageId> useless;  // resident, never asked for again
  std::size_t size = 0;
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    if (i % kBetweenQuestions == 0 && !go_on()) {
      tally_ = {};
      return;
    }
    const PageId page = ids_[i];
    const bool hit = resident[page] != 0;
    if (hit) {
      upcoming.erase(static_cast<std::uint32_t>(i));
    } else if (size < capacity_) {
      ++size;
    } else if (!useless.empty()) {
      resident[useless.back()] = 0;
      useless.pop_back();
    } else {
      const std::uint32_t farthest = upcoming.largest();
      upcoming.erase(farthest);
      resident[ids_[farthest]] = 0;
    }
    resident[page] = 1;
    if (next[i] == kNever) {
      useless.push_back(page);
    } else {
      upcoming.insert(next[i]);
    }
    if (i >= first_counted_) {
      tally_.note(accesses_[i], hit);
    } else {
      tally_.pass(accesses_[i], hit);
    }
  }
}

}  // namespace rigel
