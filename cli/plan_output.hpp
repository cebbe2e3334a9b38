// What `rigel plan` prints. Pure; nothing throws but for want of memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/array/capacity_plan.hpp"

namespace rigel {

// A configuration that was asked for and that cannot be.
struct LeftOut {
  std::string array;
  std::uint64_t cache_bytes = 0;
  unsigned disks = 0;
  std::string why;
};

struct PlanReport {
  const PlanQuestion& question;
  const PlanAnswer& answer;
  std::vector<LeftOut> left_out;
  std::vector<std::string> traces;
  std::optional<double> growth_a_year;  // 0.4: 40 % more each year
};

[[nodiscard]] std::string plan_text(const PlanReport& report);
[[nodiscard]] std::string plan_json(const PlanReport& report);

}  // namespace rigel
