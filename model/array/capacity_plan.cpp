#include "model/array/capacity_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "model/array/array_simulator.hpp"
#include "model/array/grown_trace.hpp"
#include "model/array/simulation.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

constexpr double kMostHeadroom = 64;
// More I/Os than any host keeps waiting: the array does not keep up.
constexpr std::uint64_t kOverloaded = 65'536;
constexpr double kHeadroomStep = 1.05;
// What is not bettered by a twentieth is not bettered.
constexpr double kHelps = 1.05;

// What may be had twice of.
struct Resource {
  const char* name;
  void (*grow)(ArrayConfig&);
};
constexpr std::array kResources{
    Resource{"cache",
             [](ArrayConfig& config) {
               config.cache.bytes =
                   config.cache.bytes == 0 ? kFirstCacheBytes : 2 * config.cache.bytes;
             }},
    Resource{"disks", [](ArrayConfig& config) { config.disks.count *= 2; }},
    Resource{"link",
             [](ArrayConfig& config) {
               config.link.bytes_per_second *= 2;
               config.link.iops *= 2;
             }},
    Resource{"controller", [](ArrayConfig& config) { config.controller.cores *= 2; }},
};

// Not everything can be had twice: RAID 1 has two disks.
bool can_be(const ArrayConfig& config) {
  try {
    validate(config);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

class Planner {
 public:
  explicit Planner(const PlanQuestion& question) : question_{question} {}

  CandidateAnswer answer(const ArrayConfig& config) const;

 private:
  [[nodiscard]] LoadResult simulate(const ArrayConfig& config, double growth) const;
  void check_ios(const LoadResult& result) const;
  [[nodiscard]] bool meets(const LoadResult& result) const;
  [[nodiscard]] double worst_margin(const LoadResult& result) const;
  void look_for_headroom(const ArrayConfig& config, CandidateAnswer& answer) const;
  void look_for_limit(const ArrayConfig& config, double growth, const LoadResult& result,
                      CandidateAnswer& answer) const;
  [[nodiscard]] double most_growth() const {
    return question_.growth == Growth::kData ? kMostGrownData : kMostHeadroom;
  }

  const PlanQuestion& question_;
};

LoadResult Planner::simulate(const ArrayConfig& config, double growth) const {
  const bool by_rate = question_.growth == Growth::kRate;
  const std::unique_ptr<TraceSource> source =
      by_rate ? question_.open() : grown_trace(question_.open, growth);
  ArraySimulator array{config, question_.seed};
  return run_open(array, *source,
                  {.speed = by_rate ? growth : 1,
                   .warm_up_ns = question_.warm_up_ns,
                   .most_outstanding = kOverloaded,
                   .go_on = question_.go_on});
}

// A target of what is not there would be met by anything.
void Planner::check_ios(const LoadResult& result) const {
  if (result.overloaded) return;
  if (result.ios == 0) {
    throw Error{question_.warm_up_ns > 0 ? "there is no I/O to plan for after the warm-up"
                                         : "there is no I/O to plan for"};
  }
  for (const PlanTarget& target : question_.targets) {
    if (target.has_ios(result)) continue;
    throw Error{fmt::format("--target {}: the load has no I/O of this kind", target.text)};
  }
}

bool Planner::meets(const LoadResult& result) const {
  return std::all_of(question_.targets.begin(), question_.targets.end(),
                     [&](const PlanTarget& target) { return target.is_met_by(result); });
}

double Planner::worst_margin(const LoadResult& result) const {
  double worst = std::numeric_limits<double>::infinity();
  for (const PlanTarget& target : question_.targets) {
    worst = std::min(worst, target.margin(result));
  }
  return worst;
}

CandidateAnswer Planner::answer(const ArrayConfig& config) const {
  CandidateAnswer answer;
  for (const double growth : question_.growths) {
    if (!question_.go_on()) return answer;
    PlanStep step{.growth = growth, .result = simulate(config, growth), .met = false};
    if (!question_.go_on()) return answer;
    check_ios(step.result);
    step.met = meets(step.result);
    answer.steps.push_back(std::move(step));
  }
  look_for_headroom(config, answer);
  return answer;
}

void Planner::look_for_headroom(const ArrayConfig& config, CandidateAnswer& answer) const {
  const auto missed = std::find_if(answer.steps.begin(), answer.steps.end(),
                                   [](const PlanStep& step) { return !step.met; });
  if (missed == answer.steps.begin()) {
    look_for_limit(config, missed->growth, missed->result, answer);
    return;
  }
  double good = std::prev(missed)->growth;
  double bad = missed == answer.steps.end() ? 0 : missed->growth;
  LoadResult bad_result = missed == answer.steps.end() ? LoadResult{} : missed->result;
  const auto try_growth = [&](double growth) {
    LoadResult result = simulate(config, growth);
    if (meets(result)) {
      good = growth;
    } else {
      bad = growth;
      bad_result = std::move(result);
    }
  };
  while (bad == 0 && good < most_growth() && question_.go_on()) {
    try_growth(std::min(2 * good, most_growth()));
  }
  while (bad != 0 && bad / good > kHeadroomStep && question_.go_on()) {
    try_growth(std::sqrt(good * bad));
  }
  answer.headroom = good;
  answer.headroom_is_more = bad == 0;
  if (bad != 0) look_for_limit(config, bad, bad_result, answer);
}

void Planner::look_for_limit(const ArrayConfig& config, double growth, const LoadResult& result,
                             CandidateAnswer& answer) const {
  double best = kHelps * worst_margin(result);
  for (const Resource& resource : kResources) {
    if (!question_.go_on()) return;
    ArrayConfig more = config;
    resource.grow(more);
    if (!can_be(more)) continue;
    const LoadResult better = simulate(more, growth);
    const double margin = worst_margin(better);
    if (margin <= best) continue;
    best = margin;
    answer.limit = resource.name;
    answer.limit_cured = meets(better);
  }
}

void check(const PlanQuestion& question) {
  if (question.candidates.empty()) throw UsageError{"there is no array to choose from"};
  if (question.targets.empty()) throw UsageError{"a plan needs a target"};
  if (question.growths.empty() ||
      !std::is_sorted(question.growths.begin(), question.growths.end()) ||
      !(question.growths.front() > 0)) {
    throw UsageError{"growths have to be above 0 and to rise"};
  }
}

std::optional<std::size_t> choose(const PlanQuestion& question, const PlanAnswer& answer) {
  std::optional<std::size_t> choice;
  for (std::size_t i = 0; i < answer.candidates.size(); ++i) {
    const std::vector<PlanStep>& steps = answer.candidates[i].steps;
    const bool meets =
        steps.size() == question.growths.size() &&
        std::all_of(steps.begin(), steps.end(), [](const PlanStep& step) { return step.met; });
    if (!meets) continue;
    if (!choice) choice = i;
    // What has no cost is chosen only where nothing has one.
    const std::optional<double> cost = cost_of(question.candidates[i]);
    const std::optional<double> best = cost_of(question.candidates[*choice]);
    if (cost && (!best || *cost < *best)) choice = i;
  }
  return choice;
}

}  // namespace

std::optional<double> cost_of(const ArrayConfig& config) {
  const CostConfig& cost = config.cost;
  if (cost.base == 0 && cost.cache_gib == 0 && cost.disk == 0) return std::nullopt;
  return cost.base + cost.cache_gib * static_cast<double>(config.cache.bytes) / 0x1p30 +
         cost.disk * config.disks.count;
}

PlanAnswer make_plan(const PlanQuestion& question) {
  check(question);
  PlanAnswer answer;
  answer.candidates.resize(question.candidates.size());
  const Planner planner{question};
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < question.candidates.size(); i = next++) {
      try {
        answer.candidates[i] = planner.answer(question.candidates[i]);
      } catch (...) {
        const std::lock_guard lock{failure_mutex};
        if (!failure) failure = std::current_exception();
        next = question.candidates.size();
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < question.threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  answer.choice = choose(question, answer);
  return answer;
}

}  // namespace rigel
