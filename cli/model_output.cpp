#include "cli/model_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "traces/quantity.hpp"

namespace rigel {

namespace {

std::uint64_t whole(double count) {
  return static_cast<std::uint64_t>(count + 0.5);
}

std::string percent(double ratio) {
  return fmt::format("{:.2f} %", 100 * ratio);
}

}  // namespace

std::string model_text(const CacheQuestion& question, const CacheAnswer& answer) {
  const std::uint64_t page = question.stream.page_bytes;
  const double accesses = answer.total.all_pages();
  std::string text = fmt::format("{:<8} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "policy",
                                 "cache", "hits", "reads", "writes", "requests", "bytes");
  for (const CacheResult& result : answer.results) {
    const HitRatios& ratios = result.ratios;
    text += fmt::format("{:<8} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10}\n", result.policy,
                        format_bytes(result.cache_bytes), percent(ratios.page),
                        percent(ratios.read_page), percent(ratios.write_page),
                        percent(ratios.request), percent(ratios.byte));
  }
  text += fmt::format("\n{} accesses to pages of {}, {} distinct pages: a footprint of {}\n",
                      format_count(whole(accesses)), format_bytes(page),
                      format_count(whole(answer.distinct_pages)),
                      format_bytes(whole(answer.distinct_pages) * page));
  text += fmt::format("cold misses (first access to a page): {} of all accesses\n",
                      percent(accesses > 0 ? answer.cold.all_pages() / accesses : 0));
  return text;
}

std::string model_json(const CacheQuestion& question, const CacheAnswer& answer) {
  nlohmann::ordered_json json{{"schema", 1}};
  json["page_bytes"] = question.stream.page_bytes;
  json["accesses"] = whole(answer.total.all_pages());
  json["reads"] = whole(answer.total.pages[0]);
  json["writes"] = whole(answer.total.pages[1]);
  json["requests"] = whole(answer.total.requests[0] + answer.total.requests[1]);
  json["distinct_pages"] = whole(answer.distinct_pages);
  json["footprint_bytes"] = whole(answer.distinct_pages) * question.stream.page_bytes;
  json["cold_misses"] = whole(answer.cold.all_pages());
  json["results"] = nlohmann::ordered_json::array();
  for (const CacheResult& result : answer.results) {
    const HitRatios& ratios = result.ratios;
    json["results"].push_back({{"policy", result.policy},
                               {"cache_bytes", result.cache_bytes},
                               {"hit_ratio", ratios.page},
                               {"read_hit_ratio", ratios.read_page},
                               {"write_hit_ratio", ratios.write_page},
                               {"request_hit_ratio", ratios.request},
                               {"read_request_hit_ratio", ratios.read_request},
                               {"write_request_hit_ratio", ratios.write_request},
                               {"byte_hit_ratio", ratios.byte}});
  }
  return json.dump(2) + "\n";
}

}  // namespace rigel
