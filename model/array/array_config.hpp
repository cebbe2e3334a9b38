// A storage array as the model knows it: link, controller, cache, disks, RAID, disk queues. Read
// from a small INI file or taken from the presets. Plain data; sizes in bytes, times in ns.
// Parsing throws UsageError naming the file, the key, the value and what is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rigel {

enum class ServiceLaw : std::uint8_t {
  kConstant,
  kExponential,  // what exact queueing theory wants
  kMechanical,   // disks only: seek curve, rotation, transfer
};

enum class CachePolicyName : std::uint8_t { kLru, kFifo };

enum class DiskQueuePolicy : std::uint8_t {
  kFifo,
  kElevator,  // mechanical: the next block in the sweep's direction (LOOK)
  kSptf,      // mechanical: shortest positioning time first
};

// What a disk holds after a read, a segment at most: what follows it to the end of the track, of
// the cylinder or of the segment, or all of the cylinder, what comes before it too.
enum class ReadAhead : std::uint8_t { kTrack, kCylinder, kSegment, kAround };

struct LinkConfig {
  double bytes_per_second = 0;  // each way; 0: no limit
  double iops = 0;              // 0: no limit
  std::int64_t latency_ns = 0;  // there and back, without the transfer
};

struct ControllerConfig {
  unsigned cores = 1;
  std::int64_t time_ns = 0;  // of a core, per I/O
  ServiceLaw law = ServiceLaw::kConstant;
};

struct CacheConfig {
  std::uint64_t bytes = 0;  // 0: none
  std::uint32_t page_bytes = 8192;
  CachePolicyName policy = CachePolicyName::kLru;
  std::int64_t hit_time_ns = 0;  // from the lookup to the data
  bool write_back = true;
};

struct DiskConfig {
  unsigned count = 1;
  ServiceLaw law = ServiceLaw::kExponential;
  std::int64_t time_ns = 8'000'000;  // mean; for kMechanical it follows from what is below
  unsigned units = 1;                // I/Os that one device serves at once (NVMe)
  std::uint64_t bytes = 300ULL << 30;
  double bytes_per_second = 0;  // transfer, added to the time of constant and exponential; 0: none
  double rpm = 10'000;
  std::int64_t seek_single_ns = 600'000;
  std::int64_t seek_average_ns = 4'700'000;
  std::int64_t seek_full_ns = 9'500'000;
  std::int64_t overhead_ns = 200'000;
  std::optional<std::int64_t> write_overhead_ns;  // of a write; unless given, the same
  unsigned heads = 1;                             // tracks that the arm reaches without a seek
  // Mechanical: what the disk keeps of what it has read, read ahead, or has to write.
  unsigned buffer_segments = 0;  // 0: no buffer
  std::uint64_t buffer_segment_bytes = 256 << 10;
  ReadAhead read_ahead = ReadAhead::kSegment;
  std::int64_t buffer_time_ns = 100'000;  // of a read from the buffer, without the transfer
  double interface_bytes_per_second = 0;  // from and to the buffer; 0: in no time
  bool write_buffer = false;              // a write is done when it is in the buffer
};

struct RaidConfig {
  unsigned level = 0;  // 0, 1, 5, 6, 10
  std::uint64_t stripe_bytes = 64 << 10;
};

struct QueueConfig {
  DiskQueuePolicy policy = DiskQueuePolicy::kFifo;
  unsigned depth = 32;  // I/Os a disk holds and may reorder; the rest waits in order
};

// What it costs to buy, in any currency; for planning alone.
struct CostConfig {
  double base = 0;       // without cache and disks
  double cache_gib = 0;  // a GiB of cache
  double disk = 0;       // one disk
};

struct ArrayConfig {
  std::string name;
  std::string description;
  LinkConfig link;
  ControllerConfig controller;
  CacheConfig cache;
  DiskConfig disks;
  RaidConfig raid;
  QueueConfig queue;
  CostConfig cost;
};

// What the sections and keys of `text` say over the defaults above; `name` is for messages.
[[nodiscard]] ArrayConfig parse_array_config(std::string_view text, const std::string& name);
// A preset's name, or the path of a file.
[[nodiscard]] ArrayConfig load_array_config(const std::string& name_or_path);
// Checks what no key can say alone (a RAID level's least number of disks, …). Throws UsageError.
void validate(const ArrayConfig& config);
// A file that parse_array_config() reads back, each key with its remark.
[[nodiscard]] std::string to_ini(const ArrayConfig& config);

struct ArrayPreset {
  std::string_view name;
  std::string_view text;  // INI
};
[[nodiscard]] std::span<const ArrayPreset> array_presets();

// Mean time of one random I/O of `bytes` at a disk alone, in ns: overhead, mean seek, half a
// rotation and transfer where it is mechanical.
[[nodiscard]] double mean_disk_time_ns(const DiskConfig& disks, double bytes);
// Random reads a second that all disks together can serve, first come first served.
[[nodiscard]] double disk_reads_per_second(const ArrayConfig& config, double bytes);
// The part of the array's disks that holds data rather than parity or copies.
[[nodiscard]] double usable_fraction(const ArrayConfig& config);
[[nodiscard]] std::uint64_t usable_bytes(const ArrayConfig& config);
// The same array with cache and disks smaller by `factor`, so that what takes hours to fill can be
// shown in seconds; times, counts and the cache's page stay. Throws UsageError when nothing of the
// cache is left.
[[nodiscard]] ArrayConfig scaled_down(ArrayConfig config, double factor);

}  // namespace rigel
