#include "traces/anonymizer.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "traces/byte_source.hpp"
#include "traces/error.hpp"
#include "traces/page_permutation.hpp"
#include "traces/page_pieces.hpp"
#include "traces/record_mapper.hpp"

namespace rigel {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// BLAKE2b of `text` under `key`; `kind` keeps what is derived for different purposes apart.
template <std::size_t N>
std::array<unsigned char, N> keyed_hash(const AnonymizerKey& key, std::string_view kind,
                                        std::string_view text) {
  std::array<unsigned char, N> hash{};
  crypto_generichash_state state;
  crypto_generichash_init(&state, key.data(), key.size(), hash.size());
  crypto_generichash_update(&state, bytes_of(kind), kind.size() + 1);  // with its final 0
  crypto_generichash_update(&state, bytes_of(text), text.size());
  crypto_generichash_final(&state, hash.data(), hash.size());
  return hash;
}

class Anonymizer final : public RecordMapper {
 public:
  Anonymizer(std::unique_ptr<TraceSource> source, AnonymizerOptions options)
      : RecordMapper{std::move(source)}, options_{std::move(options)} {}

 private:
  struct Device {
    PagePermutation permutation;
    std::uint64_t pages;
    std::string name;  // its true one
  };

  void update_tables(const TraceTables& theirs, TraceTables& mine) override {
    mine.meta.source = theirs.meta.source;
    mine.meta.clock = theirs.meta.clock;
    mine.meta.host = pseudonym("host", theirs.meta.host);
    mine.meta.extra["anonymized"] = fmt::format("pages of {} bytes", options_.page_bytes);
    follower_.follow(theirs, mine,
                     Overloaded{[this](DeviceInfo& device) { return disguise(device); },
                                [this](StreamInfo& stream) { return disguise(stream); },
                                [](const std::string&) { return false; },  // quotes the input
                                [](const auto&) { return true; }});
  }

  bool disguise(DeviceInfo& device) {
    devices_.push_back(permuted_device(device, devices_.size()));
    DeviceInfo disguised;
    disguised.name = pseudonym("dev", device.name);
    disguised.parent = pseudonym("dev", device.parent);
    disguised.wwid = pseudonym("wwid", device.wwid);
    disguised.size_bytes = devices_.back().pages * options_.page_bytes;
    disguised.logical_block_bytes = device.logical_block_bytes;
    device = disguised;
    return true;
  }

  bool disguise(StreamInfo& stream) {
    stream.comm = pseudonym("proc", stream.comm);
    stream.instance = pseudonym("inst", stream.instance);
    stream.cgroup = pseudonym("cgroup", stream.cgroup);
    stream.pid = numbered(stream.pid);
    stream.tid = numbered(stream.tid);
    return true;
  }

  [[nodiscard]] std::string pseudonym(std::string_view kind, std::string_view name) const {
    if (name.empty()) return {};
    std::string text = fmt::format("{}-", kind);
    for (const unsigned char byte : keyed_hash<16>(options_.key, kind, name)) {
      text += fmt::format("{:02x}", byte);
      if (text.size() >= kind.size() + 9) break;
    }
    return text;
  }

  // Processes and threads share one number space in Linux; 0 is "not known" and stays so.
  [[nodiscard]] std::uint32_t numbered(std::uint32_t pid) {
    if (pid == 0) return 0;
    return pids_.emplace(pid, static_cast<std::uint32_t>(pids_.size() + 1)).first->second;
  }

  void map(const IoRecord& record, RecordBatch& output) override {
    const PageRange pages = pages_of(record.offset_bytes, record.length_bytes, options_.page_bytes);
    if (pages.count() == 0) {
      IoRecord placeless = record;
      placeless.offset_bytes = 0;
      output.append(placeless);
      return;
    }
    const Device& device = device_of(record);
    if (pages.end > device.pages) throw beyond(record, device);
    for (std::uint64_t page = pages.first; page < pages.end; ++page) {
      IoRecord piece = piece_of(record, {page, page + 1}, options_.page_bytes);
      piece.offset_bytes =
          device.permutation(page) * options_.page_bytes + piece.offset_bytes % options_.page_bytes;
      output.append(piece);
    }
  }

  // A trace without a table of devices is of one that has no name.
  [[nodiscard]] const Device& device_of(const IoRecord& record) {
    if (record.device < devices_.size()) return devices_[record.device];
    if (!nameless_) nameless_ = permuted_device({}, 0);
    return *nameless_;
  }

  // `index` is its place in the table; its true name goes into the key.
  [[nodiscard]] Device permuted_device(const DeviceInfo& info, std::size_t index) const {
    const std::uint64_t given =
        index < options_.device_bytes.size() ? options_.device_bytes[index] : 0;
    const std::uint64_t bytes = std::max(info.size_bytes, given);
    const std::uint64_t pages =
        bytes / options_.page_bytes + (bytes % options_.page_bytes == 0 ? 0 : 1);
    return {PagePermutation{keyed_hash<16>(options_.key, "pages", info.name), pages}, pages,
            info.name};
  }

  [[nodiscard]] static Error beyond(const IoRecord& record, const Device& device) {
    return Error{
        fmt::format("cannot anonymize: an I/O at byte {} is beyond the known end of device '{}'",
                    record.offset_bytes, device.name)};
  }

  AnonymizerOptions options_;
  std::vector<Device> devices_;  // by index
  std::optional<Device> nameless_;
  std::unordered_map<std::uint32_t, std::uint32_t> pids_;
  TableFollower follower_;
};

void start_sodium() {
  if (sodium_init() < 0) throw Error{"libsodium: no source of randomness"};
}

}  // namespace

AnonymizerKey random_anonymizer_key() {
  start_sodium();
  AnonymizerKey key;
  randombytes_buf(key.data(), key.size());
  return key;
}

AnonymizerKey anonymizer_key_from_file(const std::string& path) {
  start_sodium();
  const std::unique_ptr<ByteSource> file = open_file(path);
  crypto_generichash_state state;
  AnonymizerKey key;
  crypto_generichash_init(&state, nullptr, 0, key.size());
  std::array<std::byte, 4096> buffer;
  bool empty = true;
  for (std::size_t got = 0; (got = file->read(buffer)) != 0; empty = false) {
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(buffer.data()), got);
  }
  if (empty) throw Error{fmt::format("{}: an empty file is no key", path)};
  crypto_generichash_final(&state, key.data(), key.size());
  return key;
}

std::vector<std::uint64_t> device_extents(TraceSource& source) {
  std::vector<std::uint64_t> extents;
  RecordBatch batch;
  while (source.next(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const IoRecord record = batch.record(i);
      if (record.device >= extents.size()) extents.resize(std::size_t{record.device} + 1);
      const std::uint64_t end =
          record.length_bytes == 0
              ? 0
              : record.offset_bytes +
                    std::min<std::uint64_t>(record.length_bytes, ~record.offset_bytes);
      extents[record.device] = std::max(extents[record.device], end);
    }
  }
  const std::vector<DeviceInfo>& devices = source.tables().devices;
  extents.resize(std::max(extents.size(), devices.size()));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    extents[i] = std::max(extents[i], devices[i].size_bytes);
  }
  return extents;
}

std::unique_ptr<TraceSource> anonymize(std::unique_ptr<TraceSource> source,
                                       AnonymizerOptions options) {
  if (options.page_bytes < 512) {
    throw UsageError{"anonymizing pages of less than 512 bytes makes no sense"};
  }
  start_sodium();
  return std::make_unique<Anonymizer>(std::move(source), std::move(options));
}

}  // namespace rigel
