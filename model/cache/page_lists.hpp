// Doubly linked lists of pages, for policies: kLists of them over one array of links, a page being
// on one of them at most. Newest at the front, oldest at the back. 8 bytes a page.
// Pages are PageIds; grow() must have been told of the largest. One thread; no errors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/cache/page_id.hpp"

namespace rigel {

template <std::size_t kLists>
class PageLists {
 public:
  PageLists() {
    links_.resize(kLists);
    for (std::uint32_t i = 0; i < kLists; ++i) links_[i] = {i, i};
  }

  void grow(std::size_t pages) {
    if (links_.size() < pages + kLists) links_.resize(pages + kLists, kUnlinked);
  }
  [[nodiscard]] std::size_t size(std::size_t list) const { return sizes_[list]; }
  [[nodiscard]] bool linked(PageId page) const { return links_[node(page)].next != kNowhere; }
  // Of a list that is not empty.
  [[nodiscard]] PageId back(std::size_t list) const {
    return links_[list].previous - static_cast<std::uint32_t>(kLists);
  }

  void push_front(std::size_t list, PageId page) {
    const auto head = static_cast<std::uint32_t>(list);
    insert_before(links_[head].next, page);
    ++sizes_[list];
  }
  void remove(std::size_t list, PageId page) {
    unlink(page);
    links_[node(page)] = kUnlinked;
    --sizes_[list];
  }
  PageId pop_back(std::size_t list) {
    const PageId page = back(list);
    remove(list, page);
    return page;
  }
  // From wherever in `from` it is.
  void move_to_front(std::size_t from, std::size_t to, PageId page) {
    if (links_[to].next == node(page)) return;
    unlink(page);
    insert_before(links_[to].next, page);
    --sizes_[from];
    ++sizes_[to];
  }
  // For the processor's cache: the page's own link, then (once that is there) its neighbours'.
  void prefetch(PageId page) const { __builtin_prefetch(&links_[node(page)], 1); }
  void prefetch_neighbours(PageId page) const {
    const Link link = links_[node(page)];
    if (link.next == kNowhere) return;
    __builtin_prefetch(&links_[link.next], 1);
    __builtin_prefetch(&links_[link.previous], 1);
  }

 private:
  struct Link {
    std::uint32_t previous;  // newer
    std::uint32_t next;      // older
  };
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  static constexpr Link kUnlinked{kNowhere, kNowhere};

  // The lists' own nodes come first.
  [[nodiscard]] static std::uint32_t node(PageId page) {
    return page + static_cast<std::uint32_t>(kLists);
  }
  void insert_before(std::uint32_t older, PageId page) {
    const std::uint32_t newer = links_[older].previous;
    links_[node(page)] = {newer, older};
    links_[newer].next = node(page);
    links_[older].previous = node(page);
  }
  void unlink(PageId page) {
    const Link link = links_[node(page)];
    links_[link.previous].next = link.next;
    links_[link.next].previous = link.previous;
  }

  std::vector<Link> links_;
  std::array<std::size_t, kLists> sizes_{};
};

}  // namespace rigel
