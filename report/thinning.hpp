// Makes results small enough for a page without losing what stands out. Pure functions; nothing
// here throws but allocation.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace rigel {

// What a series on the page holds at most.
inline constexpr std::size_t kMostPoints = 2000;

// Which of `values` to keep, in order, so that at most `most` are left: the smallest and the
// largest of each of most/2 stretches of equal length, and the first and the last of all.
// NaN stands for "no value" and is kept only where a stretch holds nothing else.
[[nodiscard]] std::vector<std::size_t> kept_points(std::span<const double> values,
                                                   std::size_t most);

// A result (rigel-results(5)) with at most kMostPoints entries in each list of points, the busiest
// streams, devices and roles by name and the rest of the roles added up, so that neither the number
// of records nor of processes decides how large a page is.
void thin_result(nlohmann::ordered_json& result);

}  // namespace rigel
