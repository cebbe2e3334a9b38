#include "replay/write_verifier.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace rigel {
namespace {

constexpr std::uint64_t kMagic = 0x796669726556;  // "Verify"
constexpr std::size_t kHashes = std::size_t{1} << 16;
constexpr std::size_t kReadBackBytes = std::size_t{1} << 20;
constexpr std::size_t kAlignment = 4096;

struct Stamp {
  std::uint64_t magic;
  std::uint64_t run;
  std::uint64_t offset_bytes;
  std::uint32_t generation;
  std::uint16_t target;
  std::uint16_t reserved;
  std::uint64_t checksum;  // of the whole block with this field 0
};
static_assert(sizeof(Stamp) == 40);

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014), as far as a table's index needs it.
std::size_t hash_of(std::uint64_t block) {
  block = (block ^ (block >> 30)) * 0xbf58476d1ce4e5b9;
  return static_cast<std::size_t>(block >> 32) % kHashes;
}

// Of a block whose stamp is `stamp`, whatever checksum that one carries.
std::uint64_t checksum_of(Stamp stamp, std::span<const std::byte> block) {
  stamp.checksum = 0;
  const std::uint64_t of_rest =
      XXH3_64bits(block.data() + sizeof stamp, block.size() - sizeof stamp);
  return XXH3_64bits_withSeed(&stamp, sizeof stamp, of_rest);
}

// Bytes read from there, 0 on failure.
std::size_t read_at(int fd, std::uint64_t offset_bytes, std::span<std::byte> into) {
  ssize_t got = 0;
  do {
    got = pread(fd, into.data(), into.size(), static_cast<off_t>(offset_bytes));
  } while (got < 0 && errno == EINTR);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

}  // namespace

std::string_view fault_name(VerifyFault fault) {
  constexpr std::array<std::string_view, kVerifyFaultCount> kNames{"misdirected", "torn", "lost",
                                                                   "stale"};
  return kNames[static_cast<std::size_t>(fault)];
}

std::uint64_t VerifyResult::fault_count() const {
  std::uint64_t total = 0;
  for (const std::uint64_t count : faults) total += count;
  return total;
}

VerifyResult& VerifyResult::operator+=(const VerifyResult& other) {
  blocks_written += other.blocks_written;
  checked_during += other.checked_during;
  checked_after += other.checked_after;
  undecided += other.undecided;
  not_tracked += other.not_tracked;
  unreadable += other.unreadable;
  complete = complete && other.complete;
  for (std::size_t i = 0; i < faults.size(); ++i) faults[i] += other.faults[i];
  for (const VerifyFinding& finding : other.first) {
    if (first.size() < kMostFirst) first.push_back(finding);
  }
  return *this;
}

WriteVerifier::WriteVerifier(std::uint16_t target, std::uint32_t block_bytes, std::uint64_t run)
    : target_(target), block_bytes_(block_bytes), run_id_(run), under_way_(kHashes) {}

WriteVerifier::Block* WriteVerifier::find(std::uint64_t block) {
  const std::uint64_t key = block / kExtentBlocks;
  if (key != last_key_) {
    const auto found = extents_.find(key);
    if (found == extents_.end()) return nullptr;
    last_key_ = key;
    last_extent_ = &found->second;
  }
  return &(*last_extent_)[block % kExtentBlocks];
}

WriteVerifier::Block* WriteVerifier::find_or_add(std::uint64_t block) {
  Block* found = find(block);
  if (found != nullptr || extents_.size() >= kMaxExtents) return found;
  extents_.emplace(block / kExtentBlocks, Extent{});
  return find(block);
}

std::uint32_t& WriteVerifier::under_way(std::uint64_t block) {
  return under_way_[hash_of(block)];
}

void WriteVerifier::stamp(std::uint64_t block, std::span<std::byte> data) const {
  Stamp stamp{.magic = kMagic,
              .run = run_id_,
              .offset_bytes = block * block_bytes_,
              .generation = generation_,
              .target = target_,
              .reserved = 0,
              .checksum = 0};
  stamp.checksum = checksum_of(stamp, data);
  std::memcpy(data.data(), &stamp, sizeof stamp);
}

std::uint32_t WriteVerifier::write_issued(std::uint64_t offset_bytes, std::span<std::byte> data) {
  if (++generation_ == 0) ++generation_;
  std::uint64_t block = offset_bytes / block_bytes_;
  for (std::size_t at = 0; at < data.size(); at += block_bytes_, ++block) {
    stamp(block, data.subspan(at, block_bytes_));
    ++result_.blocks_written;
    const bool alone = under_way(block)++ == 0;
    Block* const state = find_or_add(block);
    if (state == nullptr) {
      ++result_.not_tracked;
      continue;
    }
    state->generation = generation_;
    state->settled = alone ? kUnderWay : kUncertain;
  }
  return generation_;
}

void WriteVerifier::write_completed(std::uint64_t offset_bytes, std::uint32_t length_bytes,
                                    std::uint32_t generation, bool whole) {
  do {
    ++settled_;
  } while (settled_ == kUnderWay || settled_ == kUncertain);
  const std::uint64_t first = offset_bytes / block_bytes_;
  for (std::uint64_t block = first; block < first + length_bytes / block_bytes_; ++block) {
    --under_way(block);
    Block* const state = find(block);
    if (state == nullptr || state->generation != generation || state->settled != kUnderWay)
      continue;
    state->settled = whole ? settled_ : kUncertain;
  }
}

void WriteVerifier::clear_issued(std::uint64_t offset_bytes, std::uint32_t length_bytes) {
  const std::uint64_t first = offset_bytes / block_bytes_;
  for (std::uint64_t block = first; block < first + length_bytes / block_bytes_; ++block) {
    ++under_way(block);
    if (Block* const state = find(block); state != nullptr) *state = Block{};
  }
}

void WriteVerifier::clear_completed(std::uint64_t offset_bytes, std::uint32_t length_bytes) {
  const std::uint64_t first = offset_bytes / block_bytes_;
  for (std::uint64_t block = first; block < first + length_bytes / block_bytes_; ++block) {
    --under_way(block);
  }
}

void WriteVerifier::read_completed(std::uint64_t offset_bytes, std::span<const std::byte> data,
                                   std::uint32_t at_issue) {
  result_.checked_during += check(offset_bytes, data, at_issue);
}

// How many blocks were checked.
std::uint64_t WriteVerifier::check(std::uint64_t offset_bytes, std::span<const std::byte> data,
                                   std::uint32_t at_issue) {
  std::uint64_t checked = 0;
  std::uint64_t block = offset_bytes / block_bytes_;
  for (std::size_t at = 0; at + block_bytes_ <= data.size(); at += block_bytes_, ++block) {
    const Block* const state = find(block);
    if (state == nullptr || state->settled == kUnderWay || state->settled == kUncertain) continue;
    // A write that completed after the read was issued may or may not be in it. Numbers go round.
    if (static_cast<std::int32_t>(at_issue - state->settled) < 0) continue;
    ++checked;
    judge(block, data.subspan(at, block_bytes_), state->generation);
  }
  end_run();
  return checked;
}

void WriteVerifier::judge(std::uint64_t block, std::span<const std::byte> data,
                          std::uint32_t generation) {
  if (generation != run_.generation) end_run();
  run_.generation = generation;
  Stamp stamp;
  std::memcpy(&stamp, data.data(), sizeof stamp);
  VerifyFinding finding{.fault = VerifyFault::kLost,
                        .target = target_,
                        .offset_bytes = block * block_bytes_,
                        .meant_for_bytes = 0};
  if (stamp.magic != kMagic || stamp.run != run_id_) {
    finding.fault = VerifyFault::kLost;
  } else if (stamp.checksum != checksum_of(stamp, data)) {
    finding.fault = VerifyFault::kTorn;
  } else if (stamp.offset_bytes != finding.offset_bytes || stamp.target != target_) {
    finding.fault = VerifyFault::kMisdirected;
    finding.meant_for_bytes = stamp.offset_bytes;
  } else if (stamp.generation != generation) {
    finding.fault = VerifyFault::kStale;
  } else {
    ++run_.good;
    return;
  }
  run_.bad.push_back(finding);
}

void WriteVerifier::end_run() {
  for (VerifyFinding& finding : run_.bad) {
    // A part of the write is there: what is missing is not a write that went astray as a whole.
    const bool absent = finding.fault == VerifyFault::kLost || finding.fault == VerifyFault::kStale;
    if (absent && run_.good > 0) finding.fault = VerifyFault::kTorn;
    ++result_.faults[static_cast<std::size_t>(finding.fault)];
    if (result_.first.size() < VerifyResult::kMostFirst) result_.first.push_back(finding);
  }
  run_.bad.clear();
  run_.good = 0;
}

void WriteVerifier::read_back(int fd, const std::atomic<bool>* stop) {
  const std::unique_ptr<std::byte, decltype(&std::free)> buffer{
      static_cast<std::byte*>(std::aligned_alloc(kAlignment, kReadBackBytes)), &std::free};
  if (!buffer) throw std::bad_alloc{};
  std::vector<std::uint64_t> keys;
  keys.reserve(extents_.size());
  for (const auto& [key, extent] : extents_) {
    keys.push_back(key);
    for (const Block& block : extent) {
      if (block.generation != 0 && block.settled == kUncertain) ++result_.undecided;
    }
  }
  std::sort(keys.begin(), keys.end());
  const std::uint64_t extent_bytes = std::uint64_t{kExtentBlocks} * block_bytes_;
  const std::size_t most = std::max<std::size_t>(kReadBackBytes / extent_bytes, 1);
  for (std::size_t begin = 0; begin < keys.size();) {
    if (stop != nullptr && *stop) {
      result_.complete = false;
      return;
    }
    std::size_t end = begin + 1;
    while (end < keys.size() && end - begin < most && keys[end] == keys[end - 1] + 1) ++end;
    const std::uint64_t offset = keys[begin] * extent_bytes;
    const std::size_t length = (end - begin) * extent_bytes;
    read_back_span(fd, offset, {buffer.get(), length});
    begin = end;
  }
}

void WriteVerifier::read_back_span(int fd, std::uint64_t offset_bytes, std::span<std::byte> into) {
  std::size_t at = read_at(fd, offset_bytes, into);
  at -= at % block_bytes_;
  result_.checked_after += check(offset_bytes, into.first(at), settled_);
  // Where reading stopped, block by block: only those that cannot be read are given up.
  for (; at < into.size(); at += block_bytes_) {
    const Block* const state = find((offset_bytes + at) / block_bytes_);
    if (state == nullptr || state->settled == kUncertain) continue;
    const std::span<std::byte> block = into.first(block_bytes_);
    if (read_at(fd, offset_bytes + at, block) == block_bytes_) {
      result_.checked_after += check(offset_bytes + at, block, settled_);
    } else {
      ++result_.unreadable;
    }
  }
}

}  // namespace rigel
