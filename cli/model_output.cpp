#include "cli/model_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/missing_json.hpp"
#include "cli/model_controller.hpp"
#include "cli/model_curve.hpp"
#include "traces/missing_records.hpp"
#include "traces/quantity.hpp"

namespace rigel {

namespace {

constexpr std::array kReachedShares{0.5, 0.8, 0.9, 0.95, 0.99};

std::uint64_t whole(double count) {
  return static_cast<std::uint64_t>(std::llround(count));
}

std::string percent(double ratio) {
  return std::isnan(ratio) ? "-" : fmt::format("{:.2f} %", 100 * ratio);
}

std::string interval(const CacheAnswer& answer, const EstimatedRatios& ratios) {
  if (!answer.sampled) return {};
  return fmt::format("  {:>8} - {:>8}", percent(ratios.low), percent(ratios.high));
}

// Ratios that are not known, or of nothing, are NaN: "-" here, null in JSON.
// A device by its name, a stream by its role or, where none is known, its command.
std::string group_name(const CacheQuestion& question, const TraceTables& tables,
                       std::size_t group) {
  if (question.stream.group_by == GroupBy::kDevice) {
    return group < tables.devices.size() ? tables.devices[group].name
                                         : fmt::format("device {}", group);
  }
  if (group >= tables.streams.size()) return "unknown";
  const StreamInfo& stream = tables.streams[group];
  return !stream.role.empty() ? stream.role : !stream.comm.empty() ? stream.comm : "unknown";
}

// Groups of one name together; those that did nothing are left out.
std::map<std::string, GroupHits> named_groups(const CacheQuestion& question,
                                              const CacheAnswer& answer,
                                              const TraceTables& tables) {
  std::map<std::string, GroupHits> named;
  for (std::size_t i = 0; i < answer.groups.size(); ++i) {
    if (answer.groups[i].total.all_pages() == 0) continue;
    named[group_name(question, tables, i)] += answer.groups[i];
  }
  return named;
}

std::string row(std::string_view first, std::uint64_t cache_bytes, const HitRatios& ratios) {
  return fmt::format("{:<10} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10}", first,
                     format_bytes(cache_bytes), percent(ratios.page), percent(ratios.read_page),
                     percent(ratios.write_page), percent(ratios.request), percent(ratios.byte));
}

std::string heading(std::string_view first) {
  return fmt::format("{:<10} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10}", first, "cache", "hits",
                     "reads", "writes", "requests", "bytes");
}

std::string groups_text(const CacheQuestion& question, const CacheAnswer& answer,
                        const TraceTables& tables) {
  const bool devices = question.stream.group_by == GroupBy::kDevice;
  std::string text = "\n" + heading(devices ? "device" : "role") + "\n";
  for (const auto& [name, group] : named_groups(question, answer, tables)) {
    for (std::size_t i = 0; i < group.hits.size(); ++i) {
      text += row(name, question.cache_bytes[i], hit_ratios(group.hits[i], group.total)) + "\n";
    }
  }
  return text;
}

std::string windows_text(const CacheQuestion& question, const CacheAnswer& answer) {
  std::string text = fmt::format("\n{:>12} {:>14} {:>14} {:>14}\n", "from", "accesses",
                                 "distinct pages", "working set");
  for (const WindowUse& use : answer.windows) {
    const std::int64_t from = static_cast<std::int64_t>(use.window) * question.stream.window_ns;
    text += fmt::format("{:>12} {:>14} {:>14} {:>14}\n", format_duration(from),
                        format_count(use.accesses), format_count(use.distinct_pages),
                        format_bytes(use.distinct_pages * question.stream.page_bytes));
  }
  return text;
}

nlohmann::ordered_json ratios_json(const HitRatios& ratios) {
  return {{"hit_ratio", ratios.page},
          {"read_hit_ratio", ratios.read_page},
          {"write_hit_ratio", ratios.write_page},
          {"request_hit_ratio", ratios.request},
          {"read_request_hit_ratio", ratios.read_request},
          {"write_request_hit_ratio", ratios.write_request},
          {"byte_hit_ratio", ratios.byte}};
}

nlohmann::ordered_json groups_json(const CacheQuestion& question, const CacheAnswer& answer,
                                   const TraceTables& tables) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  for (const auto& [name, group] : named_groups(question, answer, tables)) {
    nlohmann::ordered_json entry{{"name", name},
                                 {"accesses", whole(group.total.all_pages())},
                                 {"cold_misses", whole(group.cold.all_pages())},
                                 {"results", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < group.hits.size(); ++i) {
      nlohmann::ordered_json result{{"policy", "lru"}, {"cache_bytes", question.cache_bytes[i]}};
      result.update(ratios_json(hit_ratios(group.hits[i], group.total)));
      entry["results"].push_back(result);
    }
    groups.push_back(entry);
  }
  return groups;
}

// Without the sizes of which nothing is known: a trace without accesses has none.
nlohmann::ordered_json curve_json(const CacheQuestion& question, const CacheAnswer& answer) {
  nlohmann::ordered_json curve = nlohmann::ordered_json::array();
  for (const CurvePoint& point : curve_points(answer)) {
    if (std::isnan(point.ratios.mean.page)) continue;
    nlohmann::ordered_json entry{{"cache_bytes", point.pages * question.stream.page_bytes},
                                 {"hit_ratio", point.ratios.mean.page}};
    if (answer.sampled) {
      entry["low"] = point.ratios.low;
      entry["high"] = point.ratios.high;
    }
    curve.push_back(std::move(entry));
  }
  return curve;
}

}  // namespace

std::string model_text(const CacheQuestion& question, const CacheAnswer& answer,
                       const TraceTables& tables) {
  const std::uint64_t page = question.stream.page_bytes;
  const double accesses = answer.total.all_pages();
  const double cold_share = answer.cold.all_pages() / accesses;  // NaN of nothing
  std::string text = heading("policy") + (answer.sampled ? "  95 % interval of hits\n" : "\n");
  for (const CacheResult& result : answer.results) {
    text += row(result.policy, result.cache_bytes, result.ratios.mean) +
            interval(answer, result.ratios) + "\n";
  }
  if (question.controller) text += controller_text(answer);
  text += fmt::format("\n{} accesses to pages of {}, {}{} distinct pages: a footprint of {}\n",
                      format_count(whole(accesses)), format_bytes(page),
                      answer.sampled ? "about " : "", format_count(whole(answer.distinct_pages)),
                      format_bytes(whole(answer.distinct_pages) * page));
  text += fmt::format("cold misses (first access to a page): {} of all accesses\n",
                      percent(cold_share));
  text += "LRU cache for";
  for (const double share : kReachedShares) {
    const auto pages = answer.pages_for_share(share);
    text += fmt::format("{} {:g} %: {}", share == kReachedShares.front() ? "" : ",", 100 * share,
                        pages ? format_bytes(*pages * page) : "-");
  }
  text += " (of the hits that any size can have)\n";
  const MissingRecords missing = missing_records(tables);
  if (!missing.none()) {
    text += fmt::format("missing from the trace: {}{} I/Os; the ratios are those of the others\n",
                        missing.at_least ? "at least " : "", format_count(missing.total()));
  }
  if (question.stream.group_by != GroupBy::kNothing) text += groups_text(question, answer, tables);
  if (question.stream.window_ns != 0) text += windows_text(question, answer);
  return text;
}

nlohmann::ordered_json model_json(const CacheQuestion& question, const CacheAnswer& answer,
                                  const TraceTables& tables) {
  const std::uint64_t page = question.stream.page_bytes;
  nlohmann::ordered_json json{{"schema", 1}};
  json["page_bytes"] = page;
  json["accesses"] = whole(answer.total.all_pages());
  json["reads"] = whole(answer.total.pages[0]);
  json["writes"] = whole(answer.total.pages[1]);
  json["distinct_pages"] = whole(answer.distinct_pages);
  json["footprint_bytes"] = whole(answer.distinct_pages) * page;
  add_missing_counts(tables, json);
  json["requests"] = answer.requests;
  json["warm_up_requests"] = answer.warm_up_requests;
  json["cold_misses"] = whole(answer.cold.all_pages());
  if (question.cache_share != 1) json["cache_share"] = question.cache_share;
  if (answer.sampled) json["sample_rate"] = answer.sample_rate;
  json["results"] = nlohmann::ordered_json::array();
  for (const CacheResult& result : answer.results) {
    nlohmann::ordered_json entry{{"policy", result.policy}, {"cache_bytes", result.cache_bytes}};
    entry.update(ratios_json(result.ratios.mean));
    if (answer.sampled) {
      entry["low"] = result.ratios.low;
      entry["high"] = result.ratios.high;
    }
    if (result.controller) entry["controller"] = controller_json(result, answer);
    json["results"].push_back(entry);
  }
  json["reachable"] = nlohmann::ordered_json::array();
  for (const double share : kReachedShares) {
    const auto pages = answer.pages_for_share(share);
    nlohmann::ordered_json entry{{"share", share}, {"cache_bytes", nullptr}};
    if (pages) entry["cache_bytes"] = *pages * page;
    json["reachable"].push_back(entry);
  }
  json["curve"] = curve_json(question, answer);
  if (question.stream.group_by != GroupBy::kNothing) {
    json[question.stream.group_by == GroupBy::kDevice ? "devices" : "roles"] =
        groups_json(question, answer, tables);
  }
  if (question.stream.window_ns != 0) {
    json["windows"] = nlohmann::ordered_json::array();
    for (const WindowUse& use : answer.windows) {
      json["windows"].push_back(
          {{"from_ns", static_cast<std::int64_t>(use.window) * question.stream.window_ns},
           {"accesses", use.accesses},
           {"distinct_pages", use.distinct_pages},
           {"working_set_bytes", use.distinct_pages * page}});
    }
  }
  return json;
}

}  // namespace rigel
