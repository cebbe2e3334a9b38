// Finds out whether a target gives back what a replay wrote to it (--verify).
//
// Every block that is written carries a stamp: where it was meant to go, a generation that grows
// from one write to the next, and a checksum over the block. What is read of such a block, while
// the replay runs and once more after it, must be the last write to it that completed:
//   misdirected  a block that was meant for another address
//   torn         a block that is not whole, or a part of a write beside the rest that did not
//   arrive lost         nothing of this run: the write was acknowledged and is not there stale an
//   older write of this run to the same address
// A block is checked when it is certain what it must hold: not while a write to it is under way,
// and not after writes that overlapped in time, or one that failed, until the next one by itself.
//
// Memory: some 300 bytes for 32 neighbouring blocks that were written, kMaxExtents of those; what
// comes after them is written with stamps, counted, and not checked.
// One verifier a target. All but read_back() belongs to the target's issuing thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rigel {

enum class VerifyFault : std::uint8_t { kMisdirected, kTorn, kLost, kStale };
inline constexpr std::size_t kVerifyFaultCount = 4;
// "misdirected", …
[[nodiscard]] std::string_view fault_name(VerifyFault fault);

struct VerifyFinding {
  VerifyFault fault = VerifyFault::kLost;
  std::uint16_t target = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t meant_for_bytes = 0;  // kMisdirected: the address in the stamp
};

struct VerifyResult {
  std::uint64_t blocks_written = 0;  // each time that one was
  std::uint64_t checked_during = 0;
  std::uint64_t checked_after = 0;
  std::uint64_t undecided = 0;    // at the end: of overlapping or failed writes
  std::uint64_t not_tracked = 0;  // writes of blocks beyond kMaxExtents
  std::uint64_t unreadable = 0;   // at the end: the target failed to read them
  bool complete = true;           // the reading after the run was not cut short
  std::array<std::uint64_t, kVerifyFaultCount> faults{};  // by VerifyFault
  std::vector<VerifyFinding> first;                       // of them

  static constexpr std::size_t kMostFirst = 16;
  [[nodiscard]] std::uint64_t fault_count() const;
  VerifyResult& operator+=(const VerifyResult& other);
};

class WriteVerifier {
 public:
  static constexpr std::size_t kExtentBlocks = 32;
  static constexpr std::size_t kMaxExtents = std::size_t{3} << 20;  // 1 GiB

  // `run` tells this run's stamps from those of others.
  WriteVerifier(std::uint16_t target, std::uint32_t block_bytes, std::uint64_t run);

  // A write of `data` is about to be issued: stamps it; returns its generation.
  [[nodiscard]] std::uint32_t write_issued(std::uint64_t offset_bytes, std::span<std::byte> data);
  void write_completed(std::uint64_t offset_bytes, std::uint32_t length_bytes,
                       std::uint32_t generation, bool whole);
  // A discard or the like: what is there then is not known.
  void clear_issued(std::uint64_t offset_bytes, std::uint32_t length_bytes);
  void clear_completed(std::uint64_t offset_bytes, std::uint32_t length_bytes);
  // What read_completed() must be told about the time at which the read was issued.
  [[nodiscard]] std::uint32_t read_issued() const { return settled_; }
  void read_completed(std::uint64_t offset_bytes, std::span<const std::byte> data,
                      std::uint32_t at_issue);

  // Reads back all that was written, with nothing in flight, until `stop` is set.
  void read_back(int fd, const std::atomic<bool>* stop);
  [[nodiscard]] const VerifyResult& result() const { return result_; }

 private:
  static constexpr std::uint32_t kUnderWay = 0;
  static constexpr std::uint32_t kUncertain = 0xffffffff;
  struct Block {
    std::uint32_t generation = 0;        // of the newest write that was issued
    std::uint32_t settled = kUncertain;  // number of the completion that made it certain
  };
  using Extent = std::array<Block, kExtentBlocks>;
  // The current write's blocks in a read, which are judged together.
  struct Run {
    std::uint32_t generation = 0;
    std::uint64_t good = 0;
    std::vector<VerifyFinding> bad;
  };

  [[nodiscard]] Block* find(std::uint64_t block);
  [[nodiscard]] Block* find_or_add(std::uint64_t block);
  [[nodiscard]] std::uint32_t& under_way(std::uint64_t block);
  std::uint64_t check(std::uint64_t offset_bytes, std::span<const std::byte> data,
                      std::uint32_t at_issue);
  void judge(std::uint64_t block, std::span<const std::byte> data, std::uint32_t generation);
  void end_run();
  void read_back_span(int fd, std::uint64_t offset_bytes, std::span<std::byte> into);
  void stamp(std::uint64_t block, std::span<std::byte> data) const;

  std::uint16_t target_;
  std::uint32_t block_bytes_;
  std::uint64_t run_id_;
  std::uint32_t generation_ = 0;
  std::uint32_t settled_ = 0;  // completions that made blocks certain
  std::unordered_map<std::uint64_t, Extent> extents_;
  std::uint64_t last_key_ = ~std::uint64_t{0};  // and its extent: neighbours come together
  Extent* last_extent_ = nullptr;
  std::vector<std::uint32_t> under_way_;  // writes in flight, by a hash of the block
  Run run_;
  VerifyResult result_;
};

}  // namespace rigel
