// Segmented LRU. Karedla, Love, Wherry, "Caching strategies to improve disk system performance",
// IEEE Computer 27(3), 1994: newcomers enter the probationary segment, a hit moves a page to the
// protected one, whose least recently used page then goes back to the front of the probationary
// one; victims come from the end of that. The protected segment is 80 % of the cache here: the
// paper leaves the share open.
#pragma once

#include <vector>

#include "model/cache/cache_policy.hpp"
#include "model/cache/segmented_lru.hpp"

namespace rigel {

class SlruPolicy {
 public:
  static constexpr std::string_view kName = "slru";
  static constexpr std::string_view kDescription = "segmented LRU, 80 % protected (1994)";

  explicit SlruPolicy(std::uint32_t capacity) : segments_{capacity} {}
  void grow(std::size_t pages) { segments_.grow(pages); }
  template <typename Evicted>
  bool access(PageId page, Evicted evicted) {
    if (segments_.resident(page)) {
      segments_.hit(page);
      return true;
    }
    if (segments_.full()) evicted(segments_.evict());
    segments_.insert(page);
    return false;
  }
  [[nodiscard]] bool resident(PageId page) const { return segments_.resident(page); }
  [[nodiscard]] std::size_t size() const { return segments_.size(); }
  void prefetch(PageId page) const { segments_.prefetch(page); }
  void prefetch_more(PageId page) const { segments_.prefetch_more(page); }

 private:
  SegmentedLru segments_;
};

}  // namespace rigel
