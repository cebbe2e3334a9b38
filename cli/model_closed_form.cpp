#include "cli/model_closed_form.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/cache/random_pattern.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

namespace {

// Shares of the final hit ratio whose moments are told.
constexpr std::array kShares{0.25, 0.5, 0.75, 0.9, 0.99};

struct WarmUpPoint {
  double requests = 0;
  double hit_ratio = 0;
};

struct ClosedFormAnswer {
  std::uint64_t cache_bytes = 0;
  double hit_ratio = 0;
  double requests_to_fill = 0;  // infinite when the span fits
  std::vector<WarmUpPoint> warm_up;
};

std::vector<ClosedFormAnswer> answers(const ClosedFormQuestion& question) {
  const RandomPattern pattern{question.span_bytes / question.page_bytes, question.alpha};
  std::vector<ClosedFormAnswer> result;
  for (const std::uint64_t bytes : question.cache_bytes) {
    const double own_bytes = question.cache_share * static_cast<double>(bytes);
    const std::uint64_t pages = static_cast<std::uint64_t>(own_bytes) / question.page_bytes;
    if (pages == 0) {
      throw UsageError{fmt::format("a cache of {} holds no page of {}", format_bytes(bytes),
                                   format_bytes(question.page_bytes))};
    }
    ClosedFormAnswer answer{bytes, pattern.hit_ratio(pages), pattern.requests_to_fill(pages), {}};
    for (const double share : kShares) {
      const double ratio = share * answer.hit_ratio;
      answer.warm_up.push_back({pattern.requests_until(ratio), ratio});
    }
    if (std::isfinite(answer.requests_to_fill)) {
      answer.warm_up.push_back({answer.requests_to_fill, answer.hit_ratio});
    }
    result.push_back(answer);
  }
  return result;
}

std::string share_text(double share) {
  return share == 1 ? "" : fmt::format("{:g} % of ", 100 * share);
}

std::string pattern_name(const ClosedFormQuestion& question) {
  return question.alpha == 0 ? "uniform random" : fmt::format("Zipf({:g})", question.alpha);
}

std::string long_time(double seconds) {
  if (seconds < 120) return format_duration(std::llround(seconds * 1e9));
  if (seconds < 2 * 3600) return fmt::format("{:.1f} minutes", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.1f} hours", seconds / 3600);
  return fmt::format("{:.1f} days", seconds / 86400);
}

std::string duration_of(double requests, double iops) {
  const std::string count = format_count(static_cast<std::uint64_t>(std::llround(requests)));
  return iops > 0 ? fmt::format("{:>14}  ({} requests)", long_time(requests / iops), count)
                  : fmt::format("{:>14} requests", count);
}

}  // namespace

std::string closed_form_text(const ClosedFormQuestion& question) {
  std::string text;
  const std::vector<ClosedFormAnswer> all = answers(question);
  for (const ClosedFormAnswer& answer : all) {
    text += fmt::format("{:.6g} %  expected hit ratio: {}{} of cache before {}, {} {}\n",
                        100 * answer.hit_ratio, share_text(question.cache_share),
                        format_bytes(answer.cache_bytes), format_bytes(question.span_bytes),
                        pattern_name(question), format_bytes(question.page_bytes));
  }
  for (const ClosedFormAnswer& answer : all) {
    text += fmt::format("\n{} of cache, empty at the start{}:\n", format_bytes(answer.cache_bytes),
                        question.iops > 0 ? fmt::format(", at {:g} IOPS", question.iops) : "");
    for (const WarmUpPoint& point : answer.warm_up) {
      const bool full = point.requests == answer.requests_to_fill;
      text += fmt::format("  {:>7.3f} % after {}{}\n", 100 * point.hit_ratio,
                          duration_of(point.requests, question.iops),
                          full ? ": the cache is full" : "");
    }
    if (std::isinf(answer.requests_to_fill)) text += "  the span fits: the cache never fills up\n";
  }
  return text;
}

std::string closed_form_json(const ClosedFormQuestion& question) {
  nlohmann::ordered_json json{{"schema", 1}};
  json["page_bytes"] = question.page_bytes;
  json["pattern"] = question.alpha == 0 ? "uniform" : "zipf";
  json["alpha"] = question.alpha;
  json["span_bytes"] = question.span_bytes;
  if (question.cache_share != 1) json["cache_share"] = question.cache_share;
  json["results"] = nlohmann::ordered_json::array();
  const auto time_ns = [&question](double requests) -> nlohmann::ordered_json {
    if (question.iops <= 0 || !std::isfinite(requests)) return nullptr;
    return std::round(requests / question.iops * 1e9);
  };
  for (const ClosedFormAnswer& answer : answers(question)) {
    nlohmann::ordered_json result{{"policy", "lru"},
                                  {"cache_bytes", answer.cache_bytes},
                                  {"hit_ratio", answer.hit_ratio},
                                  {"requests_to_fill", answer.requests_to_fill},
                                  {"time_to_fill_ns", time_ns(answer.requests_to_fill)}};
    result["warm_up"] = nlohmann::ordered_json::array();
    for (const WarmUpPoint& point : answer.warm_up) {
      result["warm_up"].push_back({{"requests", point.requests},
                                   {"time_ns", time_ns(point.requests)},
                                   {"hit_ratio", point.hit_ratio}});
    }
    json["results"].push_back(result);
  }
  return json.dump(2) + "\n";
}

}  // namespace rigel
