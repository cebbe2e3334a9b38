// How many I/Os a second of one core the array simulator does: uniform 8 KiB reads of 3 TB on 32
// disks behind 96 GB of LRU cache, 128 outstanding, the cache full.
//   array_bench [IOS]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "model/array/simulation.hpp"

int main(int argc, char** argv) {
  using namespace rigel;
  const std::uint64_t ios = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000'000;
  const ArrayConfig config = load_array_config("disks32-96g");
  PatternOptions options;
  options.span_bytes = 3ULL << 40;
  AccessPattern reads{options};
  ArraySimulator array{config, 1};
  warm_up(array, reads, 3 * array.cache().capacity());
  std::int64_t now_ns = 0;
  const std::clock_t begun = std::clock();
  const LoadResult result = run_closed(
      array, [&] { return reads.next(); }, {.outstanding = 128, .ios = ios, .warm_up_ios = 0},
      now_ns);
  const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  fmt::print("{} I/Os, {} pages cached, hit ratio {:.4f}: {:.2f} s CPU, {:.2f} M I/Os a second\n",
             result.ios, array.cache().size(), result.hit_ratio, seconds,
             static_cast<double>(result.ios) / seconds / 1e6);
}
