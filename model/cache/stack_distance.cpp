#include "model/cache/stack_distance.hpp"

#include <algorithm>

#include "traces/error.hpp"

namespace rigel {

namespace {
constexpr std::uint64_t kFirstPlaces = 1U << 16;
constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 32;
constexpr std::uint64_t kPlacesPerPage = 4;
}  // namespace

StackDistance::StackDistance() {
  make_room();
}

// Closes the time line up: a page's new place is the number of pages whose last access is earlier.
void StackDistance::make_room() {
  for (std::size_t word = tree_.size(); word-- > 1;) {
    // From Fenwick sums back to plain prefix sums, in place, last one first.
    std::uint32_t sum = 0;
    for (std::size_t i = word; i != 0; i &= i - 1) sum += tree_[i];
    tree_[word] = sum;
  }
  for (std::uint32_t& place : place_) place -= holes_in_word(place) + tree_[place / kWordBits];
  next_place_ = static_cast<std::uint32_t>(place_.size());
  holes_ = 0;
  std::uint64_t wanted = kFirstPlaces;
  while (wanted < kPlacesPerPage / 2 * place_.size()) wanted *= 2;
  wanted = std::min(wanted, kMostPlaces - kWordBits);
  if (wanted <= place_.size())
    throw Error{"too many distinct pages for an exact curve: sample them"};
  places_ = static_cast<std::uint32_t>(wanted);
  hole_bits_.assign(places_ / kWordBits, 0);
  tree_.assign(places_ / kWordBits + 1, 0);
}

void StackDistance::retain(std::span<const std::uint8_t> keep) {
  std::size_t kept = 0;
  for (std::size_t id = 0; id < place_.size(); ++id) {
    if (keep[id] != 0) {
      place_[kept++] = place_[id];
    } else {
      dig(place_[id]);
    }
  }
  place_.resize(kept);
}

std::vector<std::uint8_t> StackDistance::newest(std::size_t count) const {
  std::vector<std::uint8_t> keep(place_.size(), 1);
  if (count >= place_.size()) return keep;
  std::vector<std::uint32_t> places = place_;
  const auto first = places.end() - static_cast<std::ptrdiff_t>(count);
  std::nth_element(places.begin(), first, places.end());
  for (std::size_t id = 0; id < place_.size(); ++id) keep[id] = place_[id] >= *first ? 1 : 0;
  return keep;
}

}  // namespace rigel
