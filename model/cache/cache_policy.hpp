// What a cache policy is: it decides which pages a cache of a fixed number of pages keeps.
//
// A policy is a class with the functions of the CachePolicy concept, one file each,
// policy_<name>.hpp, with the paper it follows and what it does where the paper leaves a choice.
// The simulator's loop is compiled once for each (static polymorphism: no virtual call an access);
// policy_table.cpp lists them. Pages are PageIds, whatever their size: a policy counts pages and
// nothing else, so that the unit of the question never changes its decisions.
// Policies are not thread safe; none throws.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/cache/page_id.hpp"

namespace rigel {

template <typename P>
concept CachePolicy = requires(P policy, const P& constant, PageId page, std::size_t pages) {
  // One line for the help; the name is what --policy takes.
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::kDescription } -> std::convertible_to<std::string_view>;
  // A cache of this many pages, at least 1, empty.
  P{std::uint32_t{1}};
  // Every page to come is below `pages`.
  policy.grow(pages);
  // Touches a page: true when it was resident. Afterwards it is resident. evicted(page) is called,
  // in the middle of it, for each page that leaves.
  {
    policy.access(page, [](PageId) {})
    } -> std::same_as<bool>;
  { constant.resident(page) } -> std::same_as<bool>;
  { constant.size() } -> std::convertible_to<std::size_t>;
  // Fetches into the processor's cache what access(page) will need: called some accesses before,
  // first the one, a little later the other.
  constant.prefetch(page);
  constant.prefetch_more(page);
};

}  // namespace rigel
