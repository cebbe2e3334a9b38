// Finds the whole blocks of an .rgt stream, in order, and what lies damaged between them: after a
// bad byte it looks for the next block whose checksums hold. Reads no further than the block it
// hands out, so that a live pipe is followed without delay; holds one block in memory.
// One thread. next() throws Error when the source cannot be read, or when a block is intact but of
// a newer version of the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "traces/byte_source.hpp"
#include "traces/format.hpp"
#include "traces/trace_tables.hpp"

namespace rigel::rgt {

struct Block {
  BlockHeader header;
  std::uint64_t offset_bytes = 0;      // of its header in the stream
  std::span<const std::byte> payload;  // valid until the next call of next()

  [[nodiscard]] std::uint64_t end_bytes() const {
    return offset_bytes + header.header_bytes + header.payload_bytes;
  }
};

class BlockReader {
 public:
  explicit BlockReader(std::unique_ptr<ByteSource> in) : in_{std::move(in)} {}

  // The next block whose checksums hold; false at the end. Adds to `damage` what was passed over,
  // with the records that the damaged block's header (if that much is intact) says it held.
  bool next(Block& block, std::vector<Damage>& damage);

  // Where the next block should begin.
  [[nodiscard]] std::uint64_t offset_bytes() const { return offset_bytes_ + handed_out_; }
  // Goes on there; only for sources that can be positioned.
  void seek(std::uint64_t offset_bytes);
  [[nodiscard]] ByteSource& source() { return *in_; }

 private:
  enum class Outcome { kBlock, kBad, kEnd };

  HeaderState look(BlockHeader& header);
  Outcome try_block(Block& block, Damage& bad);
  std::size_t bytes_to_skip(const Block& bad);
  void resynchronise();
  [[nodiscard]] std::span<const std::byte> held() const {
    return std::span{buffer_}.subspan(begin_, end_ - begin_);
  }
  bool hold(std::size_t count);
  void drop(std::size_t count);

  std::unique_ptr<ByteSource> in_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;  // buffer_[begin_, end_) is the stream from offset_bytes_ on
  std::size_t end_ = 0;
  std::size_t handed_out_ = 0;  // bytes of the block the caller looks at
  std::uint64_t offset_bytes_ = 0;
  std::uint64_t suspect_end_ = 0;  // of the blocks, one in the other, with a good header
  unsigned suspects_ = 0;          // and bad content
};

}  // namespace rigel::rgt
