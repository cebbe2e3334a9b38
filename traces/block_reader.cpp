#include "traces/block_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "traces/error.hpp"

namespace rigel::rgt {
namespace {
constexpr std::size_t kScanBytes = 64U << 10;
// How many good headers inside a block with bad content are tried. Chance gives none; a forged file
// of nothing but headers would otherwise take its size squared in time.
constexpr unsigned kMaxSuspects = 64;
}  // namespace

// Makes `count` bytes of the stream available; false when it ends before.
bool BlockReader::hold(std::size_t count) {
  if (end_ - begin_ >= count) return true;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < count) buffer_.resize(count);
  end_ += in_->read(std::span{buffer_}.subspan(end_, count - end_));
  return end_ >= count;
}

void BlockReader::drop(std::size_t count) {
  begin_ += count;
  offset_bytes_ += count;
}

void BlockReader::seek(std::uint64_t offset_bytes) {
  in_->seek(offset_bytes);
  begin_ = end_ = handed_out_ = 0;
  offset_bytes_ = offset_bytes;
}

// Leaves the stream at the next magic, or at its end.
void BlockReader::resynchronise() {
  while (true) {
    const bool more = hold(kScanBytes);
    const std::size_t skipped = find_magic(held());
    const bool found = skipped < held().size();
    drop(skipped);
    if (found || !more) return;
  }
}

HeaderState BlockReader::look(BlockHeader& header) {
  hold(kHeaderBytes);
  HeaderState state = parse_header(held(), header);
  if (state == HeaderState::kShort && held().size() >= kHeaderBytes && hold(header.header_bytes)) {
    state = parse_header(held(), header);
  }
  return state;
}

BlockReader::Outcome BlockReader::try_block(Block& block, Damage& bad) {
  bad = {offset_bytes_, 0, 0, ""};
  block.payload = {};
  if (!hold(1)) return Outcome::kEnd;
  const HeaderState state = look(block.header);
  switch (state) {
    case HeaderState::kNewer:
      throw error_at(in_->name(), offset_bytes_,
                     fmt::format("written by a newer rigel (format version {}, this one reads {})",
                                 block.header.version, kVersion));
    case HeaderState::kShort:
      bad.reason = "the file ends inside a block header";
      return Outcome::kBad;
    case HeaderState::kNoBlock:
      bad.reason = "no block header, or one whose checksum does not match";
      return Outcome::kBad;
    case HeaderState::kReserved:
    case HeaderState::kValid:
      break;
  }
  const std::size_t whole = block.header.header_bytes + std::size_t{block.header.payload_bytes};
  bad.records_lost = block.header.records;
  if (!hold(whole)) {
    bad.reason =
        fmt::format("the file ends {} bytes before the end of a block", whole - held().size());
    return Outcome::kBad;
  }
  block.offset_bytes = offset_bytes_;
  block.payload = held().subspan(block.header.header_bytes, block.header.payload_bytes);
  if (checksum(block.payload) != block.header.payload_checksum) {
    bad.reason = "the checksum of a block's content does not match";
    return Outcome::kBad;
  }
  if (state == HeaderState::kReserved) {
    bad.reason = "a block uses fields that are reserved in format version 1";
    return Outcome::kBad;
  }
  handed_out_ = whole;
  return Outcome::kBlock;
}

// How far to go before the next block is looked for, after `bad`, which try_block() gave up.
std::size_t BlockReader::bytes_to_skip(const Block& bad) {
  if (bad.payload.empty()) return 1;
  suspects_ = offset_bytes_ < suspect_end_ ? suspects_ + 1 : 0;
  suspect_end_ = std::max(suspect_end_, bad.end_bytes());
  return suspects_ < kMaxSuspects ? 1 : bad.header.header_bytes + bad.payload.size();
}

bool BlockReader::next(Block& block, std::vector<Damage>& damage) {
  drop(std::exchange(handed_out_, 0));
  while (true) {
    Damage bad;
    const Outcome outcome = try_block(block, bad);
    if (outcome != Outcome::kBad) return outcome == Outcome::kBlock;
    // A magic that leads to no header belongs to the damage under way; a header, good or with a
    // bad payload, ends it. The payload's own bytes are searched too: the length may be a lie of
    // the medium (a hole in the file), the header's checksum notwithstanding.
    BlockHeader header;
    HeaderState state = HeaderState::kNoBlock;
    std::size_t skip = bytes_to_skip(block);
    do {
      drop(std::exchange(skip, 1));
      resynchronise();
      state = look(header);
    } while (!held().empty() && (state == HeaderState::kNoBlock || state == HeaderState::kShort));
    bad.length_bytes = offset_bytes_ - bad.offset_bytes;
    damage.push_back(std::move(bad));
  }
}

}  // namespace rigel::rgt
