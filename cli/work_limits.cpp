#include "cli/work_limits.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "cli/stop_signal.hpp"
#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

namespace {

// 0 where the system does not tell.
std::uint64_t resident_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen("/proc/self/statm", "re"),
                                                             std::fclose};
  unsigned long total_pages = 0;
  unsigned long resident_pages = 0;
  if (!file || std::fscanf(file.get(), "%lu %lu", &total_pages, &resident_pages) != 2) return 0;
  return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::uint64_t usual_memory_limit_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 2;
}

WorkLimits::WorkLimits(std::uint64_t memory_bytes, std::string advice)
    : memory_bytes_{memory_bytes}, advice_{std::move(advice)}, stop_{stop_flag()} {}

bool WorkLimits::operator()() const {
  if (stop_) return false;
  if (resident_bytes() > memory_bytes_) {
    throw Error{fmt::format("this takes more than {} of memory: raise --memory, or {}",
                            format_bytes(memory_bytes_), advice_)};
  }
  return true;
}

}  // namespace rigel
