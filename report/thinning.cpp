#include "report/thinning.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace rigel {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostStreams = 50;
constexpr std::size_t kMostDevices = 32;
constexpr std::size_t kMostHeatMaps = 8;
constexpr std::size_t kMostRoles = 12;
constexpr char kOtherRoles[] = "other roles";

double number_or_nan(const Json& object, const char* key) {
  if (!object.is_object()) return std::numeric_limits<double>::quiet_NaN();
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>()
                                                     : std::numeric_limits<double>::quiet_NaN();
}

// The entries that stand out by any of `keys`.
void thin_entries(Json& result, const char* list, const std::vector<const char*>& keys) {
  const auto found = result.find(list);
  if (found == result.end() || !found->is_array() || found->size() <= kMostPoints) return;
  std::vector<bool> keep(found->size());
  for (const char* key : keys) {
    std::vector<double> values;
    for (const Json& entry : *found) values.push_back(number_or_nan(entry, key));
    for (const std::size_t i : kept_points(values, kMostPoints / keys.size())) keep[i] = true;
  }
  Json kept = Json::array();
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) kept.push_back(std::move((*found)[i]));
  }
  *found = std::move(kept);
}

void cut(Json& result, const char* list, std::size_t most) {
  const auto found = result.find(list);
  if (found == result.end() || !found->is_array() || found->size() <= most) return;
  found->erase(found->begin() + static_cast<std::ptrdiff_t>(most), found->end());
}

void sort_falling(Json& result, const char* list, const char* key) {
  const auto found = result.find(list);
  if (found == result.end() || !found->is_array()) return;
  const auto value = [key](const Json& entry) {
    const double number = number_or_nan(entry, key);
    return std::isnan(number) ? -1 : number;
  };
  std::stable_sort(found->begin(), found->end(),
                   [&](const Json& a, const Json& b) { return value(a) > value(b); });
}

// How many there were of a list that is cut, for the page to say how many it leaves out.
void count_entries(Json& result, const char* list, std::size_t most, const char* key) {
  const auto found = result.find(list);
  if (found == result.end() || !found->is_array() || found->size() <= most) return;
  const std::size_t count = found->size();
  result[key] = count;
}

// The first ones, with the one that is chosen among them wherever it is.
void cut_candidates(Json& result) {
  const auto found = result.find("candidates");
  if (found == result.end() || !found->is_array() || found->size() <= kMostPoints) return;
  const auto choice = result.find("choice");
  if (choice != result.end() && choice->is_number_unsigned()) {
    const auto chosen = choice->get<std::size_t>();
    if (chosen >= kMostPoints && chosen < found->size()) {
      std::swap((*found)[kMostPoints - 1], (*found)[chosen]);
      *choice = kMostPoints - 1;
    }
  }
  cut(result, "candidates", kMostPoints);
}

double sum_of(const Json& list) {
  double sum = 0;
  for (const Json& value : list) sum += value.is_number() ? value.get<double>() : 0;
  return sum;
}

// Adds list to list, entry by entry.
void add_list(Json& to, const Json& from) {
  if (!to.is_array()) to = Json::array();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!from[i].is_number()) {  // not known of one role is not known of any
      if (i == to.size()) to.push_back(nullptr);
      continue;
    }
    const double value = from[i].get<double>();
    if (i < to.size()) {
      if (!to[i].is_number()) continue;
      to[i] = to[i].get<double>() + value;
    } else {
      to.push_back(value);
    }
  }
}

// The busiest roles of a timeline by name, the others as one.
void join_roles(Json& timeline) {
  const auto roles = timeline.find("roles");
  if (roles == timeline.end() || !roles->is_object() || roles->size() <= kMostRoles) return;
  std::vector<std::pair<double, std::string>> busiest;
  for (const auto& [name, role] : roles->items()) {
    busiest.emplace_back(role.is_object() && role.contains("iops") ? sum_of(role["iops"]) : 0,
                         name);
  }
  std::stable_sort(busiest.begin(), busiest.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  Json joined = Json::object();
  for (std::size_t i = 0; i < busiest.size(); ++i) {
    const Json& role = (*roles)[busiest[i].second];
    if (i + 1 < kMostRoles) {
      joined[busiest[i].second] = role;
      continue;
    }
    for (const char* key : {"iops", "bytes_per_second"}) {
      if (role.is_object() && role.contains(key)) add_list(joined[kOtherRoles][key], role[key]);
    }
  }
  *roles = std::move(joined);
}

}  // namespace

std::vector<std::size_t> kept_points(std::span<const double> values, std::size_t most) {
  std::vector<std::size_t> kept;
  if (values.size() <= most || most < 4) {
    for (std::size_t i = 0; i < std::min(values.size(), most); ++i) kept.push_back(i);
    return kept;
  }
  // Both ends have a place of their own.
  const std::size_t buckets = (most - 2) / 2;
  kept.push_back(0);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t begin = bucket * values.size() / buckets;
    const std::size_t end = (bucket + 1) * values.size() / buckets;
    std::size_t low = begin;
    std::size_t high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (std::isnan(values[i])) continue;
      if (std::isnan(values[low]) || values[i] < values[low]) low = i;
      if (std::isnan(values[high]) || values[i] > values[high]) high = i;
    }
    for (const std::size_t i : {std::min(low, high), std::max(low, high)}) {
      if (i > kept.back()) kept.push_back(i);
    }
  }
  if (kept.back() != values.size() - 1) kept.push_back(values.size() - 1);
  return kept;
}

void thin_result(Json& result) {
  thin_entries(result, "points", {"iops", "latency_ns", "hit_ratio", "hit_ratio_implied"});
  thin_entries(result, "curve", {"hit_ratio"});
  thin_entries(result, "results", {"hit_ratio"});
  count_entries(result, "candidates", kMostPoints, "candidate_count");
  cut_candidates(result);
  thin_entries(result, "windows", {"accesses"});
  sort_falling(result, "groups", "ios");
  cut(result, "groups", kMostStreams);
  cut(result, "targets", kMostDevices);
  cut(result, "streams", kMostStreams);
  count_entries(result, "devices", kMostDevices, "device_count");
  cut(result, "devices", kMostDevices);
  cut(result, "losses", kMostStreams);
  cut(result, "damage", kMostStreams);
  cut(result, "warnings", kMostStreams);
  if (const auto devices = result.find("devices"); devices != result.end() && devices->is_array()) {
    for (std::size_t i = kMostHeatMaps; i < devices->size(); ++i) {
      if ((*devices)[i].is_object()) (*devices)[i].erase("heat_map");
    }
  }
  if (const auto timeline = result.find("timeline");
      timeline != result.end() && timeline->is_object()) {
    join_roles(*timeline);
  }
}

}  // namespace rigel
