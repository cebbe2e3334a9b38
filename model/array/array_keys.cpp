#include "model/array/array_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "traces/error.hpp"
#include "traces/quantity.hpp"

namespace rigel {

std::string write_size(std::uint64_t bytes) {
  constexpr std::string_view kUnits = "kMGTP";
  if (bytes == 0 || bytes % 1024 != 0) return std::to_string(bytes);
  std::size_t unit = 0;
  for (bytes /= 1024; bytes % 1024 == 0 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

namespace {

// Throws the allowed range as the message; parse_array_config() puts the key and value before it.
template <typename T>
T within(T value, T least, T most, const std::string& allowed) {
  if (!(value >= least && value <= most)) throw Error{allowed};
  return value;
}

std::uint64_t read_size(const std::string& text, std::uint64_t least, std::uint64_t most) {
  const std::string allowed =
      fmt::format("a size from {} to {}", format_bytes(least), format_bytes(most));
  std::uint64_t bytes = 0;
  try {
    bytes = parse_bytes(text);
  } catch (const UsageError&) {
    throw Error{allowed};
  }
  return within(bytes, least, most, allowed);
}

std::int64_t read_time(const std::string& text, std::int64_t least, std::int64_t most) {
  const std::string allowed =
      fmt::format("a time with its unit, from {} to {}",
                  least == 0 ? "0us" : format_duration(least), format_duration(most));
  std::int64_t time = 0;
  try {
    time = parse_duration_ns(text);
  } catch (const UsageError&) {
    throw Error{allowed};
  }
  return within(time, least, most, allowed);
}

double read_number(const std::string& text, double least, double most) {
  const std::string allowed = fmt::format("a number from {} to {}", least, most);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end) throw Error{allowed};
  return within(value, least, most, allowed);
}

unsigned read_count(const std::string& text, unsigned least, unsigned most) {
  const std::string allowed = fmt::format("a whole number from {} to {}", least, most);
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || rest != end) throw Error{allowed};
  return within(value, least, most, allowed);
}

template <typename T>
struct Word {
  std::string_view text;
  T value;
};
constexpr std::array kControllerLaws{Word<ServiceLaw>{"constant", ServiceLaw::kConstant},
                                     Word<ServiceLaw>{"exponential", ServiceLaw::kExponential}};
constexpr std::array kDiskLaws{Word<ServiceLaw>{"constant", ServiceLaw::kConstant},
                               Word<ServiceLaw>{"exponential", ServiceLaw::kExponential},
                               Word<ServiceLaw>{"mechanical", ServiceLaw::kMechanical}};
constexpr std::array kPolicies{Word<CachePolicyName>{"lru", CachePolicyName::kLru},
                               Word<CachePolicyName>{"fifo", CachePolicyName::kFifo}};
constexpr std::array kQueuePolicies{Word<DiskQueuePolicy>{"fifo", DiskQueuePolicy::kFifo},
                                    Word<DiskQueuePolicy>{"elevator", DiskQueuePolicy::kElevator},
                                    Word<DiskQueuePolicy>{"sptf", DiskQueuePolicy::kSptf}};
constexpr std::array kReadAheads{
    Word<ReadAhead>{"track", ReadAhead::kTrack}, Word<ReadAhead>{"cylinder", ReadAhead::kCylinder},
    Word<ReadAhead>{"segment", ReadAhead::kSegment}, Word<ReadAhead>{"around", ReadAhead::kAround}};
constexpr std::array kYesNo{Word<bool>{"yes", true}, Word<bool>{"no", false}};
constexpr std::array kRaidLevels{Word<unsigned>{"0", 0}, Word<unsigned>{"1", 1},
                                 Word<unsigned>{"5", 5}, Word<unsigned>{"6", 6},
                                 Word<unsigned>{"10", 10}};

template <typename T, std::size_t N>
T read_word(const std::string& text, const std::array<Word<T>, N>& words) {
  std::string allowed = "one of";
  for (const Word<T>& word : words) {
    if (word.text == text) return word.value;
    allowed += fmt::format("{} {}", &word == words.data() ? "" : ",", word.text);
  }
  throw Error{allowed};
}

template <typename T, std::size_t N>
std::string write_word(T value, const std::array<Word<T>, N>& words) {
  for (const Word<T>& word : words) {
    if (word.value == value) return std::string{word.text};
  }
  return {};
}

std::string write_time(std::int64_t ns) {
  return ns % 1'000'000 == 0 ? fmt::format("{}ms", ns / 1'000'000)
         : ns % 1000 == 0    ? fmt::format("{}us", ns / 1000)
                             : fmt::format("{}ns", ns);
}

constexpr std::int64_t kLongestTime = 10'000'000'000;

template <typename Part>
ArrayKey time_key(std::string_view section, std::string_view name, Part ArrayConfig::*part,
                  std::int64_t Part::*member, std::string_view remark, std::int64_t least = 0) {
  return {section, name, remark,
          [=](ArrayConfig& config, const std::string& text) {
            config.*part.*member = read_time(text, least, kLongestTime);
          },
          [=](const ArrayConfig& config) { return write_time(config.*part.*member); }};
}

template <typename Part, typename Size>
ArrayKey size_key(std::string_view section, std::string_view name, Part ArrayConfig::*part,
                  Size Part::*member, std::uint64_t least, std::uint64_t most,
                  std::string_view remark) {
  return {section, name, remark,
          [=](ArrayConfig& config, const std::string& text) {
            config.*part.*member = static_cast<Size>(read_size(text, least, most));
          },
          [=](const ArrayConfig& config) {
            return write_size(static_cast<std::uint64_t>(config.*part.*member));
          }};
}

template <typename Part>
ArrayKey number_key(std::string_view section, std::string_view name, Part ArrayConfig::*part,
                    double Part::*member, double least, double most, std::string_view remark) {
  return {section, name, remark,
          [=](ArrayConfig& config, const std::string& text) {
            config.*part.*member = read_number(text, least, most);
          },
          [=](const ArrayConfig& config) { return fmt::format("{}", config.*part.*member); }};
}

template <typename Part>
ArrayKey count_key(std::string_view section, std::string_view name, Part ArrayConfig::*part,
                   unsigned Part::*member, unsigned most, std::string_view remark,
                   unsigned least = 1) {
  return {section, name, remark,
          [=](ArrayConfig& config, const std::string& text) {
            config.*part.*member = read_count(text, least, most);
          },
          [=](const ArrayConfig& config) { return std::to_string(config.*part.*member); }};
}

template <typename Part, typename T, std::size_t N>
ArrayKey word_key(std::string_view section, std::string_view name, Part ArrayConfig::*part,
                  T Part::*member, const std::array<Word<T>, N>& words, std::string_view remark) {
  return {
      section, name, remark,
      [=, &words](ArrayConfig& config, const std::string& text) {
        config.*part.*member = read_word(text, words);
      },
      [=, &words](const ArrayConfig& config) { return write_word(config.*part.*member, words); }};
}

ArrayKey text_key(std::string_view name, std::string ArrayConfig::*member,
                  std::string_view remark) {
  return {"array", name, remark,
          [=](ArrayConfig& config, const std::string& text) { config.*member = text; },
          [=](const ArrayConfig& config) { return config.*member; }};
}

// The policies of a trace's analysis count hits; the array's cache also has to know which page
// leaves and whether it is dirty.
ArrayKey cache_policy_key() {
  return {"cache", "policy", "lru or fifo",
          [](ArrayConfig& config, const std::string& text) {
            try {
              config.cache.policy = read_word(text, kPolicies);
            } catch (const Error& error) {
              throw Error{fmt::format(
                  "{}, the two that an array's cache is simulated with ('rigel model --policy' has "
                  "others, for hit ratios alone)",
                  error.what())};
            }
          },
          [](const ArrayConfig& config) { return write_word(config.cache.policy, kPolicies); }};
}

ArrayKey write_overhead_key() {
  return {"disks", "write_overhead",
          "of a write, its whole time where the buffer takes it; by default as overhead",
          [](ArrayConfig& config, const std::string& text) {
            config.disks.write_overhead_ns = read_time(text, 0, kLongestTime);
          },
          [](const ArrayConfig& config) {
            return write_time(config.disks.write_overhead_ns.value_or(config.disks.overhead_ns));
          }};
}

}  // namespace

const std::vector<ArrayKey>& array_keys() {
  using A = ArrayConfig;
  constexpr std::uint64_t kTera = 1ULL << 40;
  constexpr std::uint64_t kMega = 1ULL << 20;
  static const std::vector<ArrayKey> table{
      text_key("name", &A::name, ""),
      text_key("description", &A::description, ""),
      size_key("link", "bandwidth", &A::link, &LinkConfig::bytes_per_second, 0, kTera,
               "bytes a second each way; 0: no limit"),
      number_key("link", "iops", &A::link, &LinkConfig::iops, 0, 1e9, "0: no limit"),
      time_key("link", "latency", &A::link, &LinkConfig::latency_ns, "there and back"),
      count_key("controller", "cores", &A::controller, &ControllerConfig::cores, 1024, ""),
      time_key("controller", "time", &A::controller, &ControllerConfig::time_ns,
               "of a core, per I/O"),
      word_key("controller", "service", &A::controller, &ControllerConfig::law, kControllerLaws,
               "constant or exponential"),
      size_key("cache", "size", &A::cache, &CacheConfig::bytes, 0, 64 * kTera, "0: none"),
      size_key("cache", "page", &A::cache, &CacheConfig::page_bytes, 512, 64 * kMega, ""),
      cache_policy_key(),
      time_key("cache", "hit_time", &A::cache, &CacheConfig::hit_time_ns,
               "from the lookup to the data"),
      word_key("cache", "write_back", &A::cache, &CacheConfig::write_back, kYesNo,
               "yes: a write is done when it is in the cache"),
      count_key("disks", "count", &A::disks, &DiskConfig::count, 4096, ""),
      word_key("disks", "service", &A::disks, &DiskConfig::law, kDiskLaws,
               "constant, exponential or mechanical"),
      time_key("disks", "time", &A::disks, &DiskConfig::time_ns,
               "mean of one I/O; constant and exponential", 1000),
      count_key("disks", "units", &A::disks, &DiskConfig::units, 4096,
                "I/Os that one device serves at once"),
      size_key("disks", "size", &A::disks, &DiskConfig::bytes, kMega, 1024 * kTera, "of one"),
      size_key("disks", "transfer", &A::disks, &DiskConfig::bytes_per_second, 0, kTera,
               "bytes a second; 0: in no time"),
      number_key("disks", "rpm", &A::disks, &DiskConfig::rpm, 1000, 100'000, "mechanical"),
      time_key("disks", "seek_single", &A::disks, &DiskConfig::seek_single_ns, "mechanical"),
      time_key("disks", "seek_average", &A::disks, &DiskConfig::seek_average_ns,
               "mechanical; over random pairs"),
      time_key("disks", "seek_full", &A::disks, &DiskConfig::seek_full_ns, "mechanical"),
      time_key("disks", "overhead", &A::disks, &DiskConfig::overhead_ns, "mechanical"),
      write_overhead_key(),
      count_key("disks", "heads", &A::disks, &DiskConfig::heads, 64,
                "mechanical; tracks that the arm reaches without a seek"),
      count_key("disks", "buffer_segments", &A::disks, &DiskConfig::buffer_segments, 64,
                "mechanical; runs of blocks read ahead and held; 0: no buffer", 0),
      size_key("disks", "buffer_segment", &A::disks, &DiskConfig::buffer_segment_bytes, 4096,
               64 * kMega, "of one segment"),
      word_key("disks", "read_ahead", &A::disks, &DiskConfig::read_ahead, kReadAheads,
               "track, cylinder, segment or around; how far, see rigel-array(1)"),
      time_key("disks", "buffer_time", &A::disks, &DiskConfig::buffer_time_ns,
               "of a read that the buffer answers"),
      size_key("disks", "interface", &A::disks, &DiskConfig::interface_bytes_per_second, 0, kTera,
               "bytes a second from and to the buffer; 0: in no time"),
      word_key("disks", "write_buffer", &A::disks, &DiskConfig::write_buffer, kYesNo,
               "yes: a write is done when it is in the buffer"),
      word_key("raid", "level", &A::raid, &RaidConfig::level, kRaidLevels, "0, 1, 5, 6 or 10"),
      size_key("raid", "stripe", &A::raid, &RaidConfig::stripe_bytes, 512, 1024 * kMega,
               "on one disk"),
      word_key("queue", "policy", &A::queue, &QueueConfig::policy, kQueuePolicies,
               "fifo, elevator or sptf"),
      count_key("queue", "depth", &A::queue, &QueueConfig::depth, 4096, "I/Os a disk may reorder"),
      number_key("cost", "base", &A::cost, &CostConfig::base, 0, 1e12, "without cache and disks"),
      number_key("cost", "cache_gib", &A::cost, &CostConfig::cache_gib, 0, 1e12,
                 "of a GiB of cache"),
      number_key("cost", "disk", &A::cost, &CostConfig::disk, 0, 1e12, "of one disk"),
  };
  return table;
}

}  // namespace rigel
