// How fast text is read: each CSV-like format on a generated file in memory, in MB of text a second
// of one core, beside `wc -l` on the same file in the same run. Fails below 300 MB/s or a third of
// wc. Usage: import_bench [DIRECTORY] (default /dev/shm)
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>

#include "traces/trace_source.hpp"

namespace rigel {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20;
constexpr int kRounds = 5;

double cpu_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <typename Work>
double least_seconds(int who, Work work) {
  double least = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double before = cpu_seconds(who);
    work();
    least = std::min(least, cpu_seconds(who) - before);
  }
  return least;
}

struct Io {
  std::uint64_t us, sector, sectors, latency;
  bool write;
  unsigned device;
};

struct Format {
  const char* name;
  const char* header;
  std::string (*line)(const Io& io);
};

const Format kFormats[] = {
    {"msr", "",
     [](const Io& io) {
       return fmt::format("{},hm,{},{},{},{},{}\n", 128166372003061629 + io.us * 10, io.device,
                          io.write ? "Write" : "Read", io.sector * 512, io.sectors * 512,
                          io.latency);
     }},
    {"spc", "",
     [](const Io& io) {
       return fmt::format("{},{},{},{},{}.{:06}\n", io.device, io.sector, io.sectors * 512,
                          io.write ? 'W' : 'R', io.us / 1000000, io.us % 1000000);
     }},
    {"alibaba", "",
     [](const Io& io) {
       return fmt::format("{},{},{},{},{}\n", io.device, io.write ? 'W' : 'R', io.sector * 512,
                          io.sectors * 512, 1577808144360767 + io.us);
     }},
    {"tencent", "",
     [](const Io& io) {
       return fmt::format("{},{},{},{},{}\n", 1538323200 + io.us / 1000000, io.sector, io.sectors,
                          io.write ? 1 : 0, 1000 + io.device);
     }},
    {"csv", "time_us,op,offset_bytes,size_bytes,latency_us\n",
     [](const Io& io) {
       return fmt::format("{},{},{},{},{}\n", io.us, io.write ? 'W' : 'R', io.sector * 512,
                          io.sectors * 512, io.latency);
     }},
};

std::size_t write_file(const std::string& path, const Format& format) {
  std::mt19937_64 random{1};
  std::string text{format.header};
  std::size_t lines = 0;
  Io io{};
  while (text.size() < kBytes) {
    io.us += random() % 1000;
    io.sector = random() % (1ULL << 31);
    io.sectors = 8 << (random() % 5);
    io.latency = 100 + random() % 100000;
    io.write = random() % 3 == 0;
    io.device = static_cast<unsigned>(random() % 4);
    text += format.line(io);
    ++lines;
  }
  std::ofstream{path, std::ios::binary} << text;
  return lines;
}

bool measure(const Format& format, const std::string& path) {
  const std::size_t lines = write_file(path, format);
  const double megabytes = static_cast<double>(kBytes) / 1e6;
  const std::string wc = fmt::format("wc -l {} >/dev/null", path);
  const double wc_seconds = least_seconds(RUSAGE_CHILDREN, [&] {
    if (std::system(wc.c_str()) != 0) std::abort();
  });
  const double seconds = least_seconds(RUSAGE_SELF, [&] {
    auto source = open_trace({path});
    RecordBatch batch;
    std::size_t records = 0;
    while (source->next(batch)) records += batch.size();
    if (records != lines) std::abort();
  });
  const bool reached = megabytes / seconds >= 300 && seconds <= 3 * wc_seconds;
  fmt::print("{:<10} {:>9.0f} {:>12.1f} {:>9.0f} {:>9.2f}  {}\n", format.name, megabytes / seconds,
             static_cast<double>(lines) / seconds / 1e6, megabytes / wc_seconds,
             wc_seconds / seconds, reached ? "" : "MISSED");
  return reached;
}

}  // namespace
}  // namespace rigel

int main(int argc, char** argv) {
  const std::string path = std::string{argc > 1 ? argv[1] : "/dev/shm"} + "/rigel-import-bench.txt";
  fmt::print("{:<10} {:>9} {:>12} {:>9} {:>9}\n", "format", "MB/s", "M records/s", "wc MB/s",
             "of wc");
  bool all = true;
  for (const rigel::Format& format : rigel::kFormats) all = rigel::measure(format, path) && all;
  std::remove(path.c_str());
  return all ? 0 : 1;
}
