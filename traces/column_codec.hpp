// A block's records to bytes and back: each column is predicted, scaled, cut into byte planes and
// compressed by itself, so that a reader decompresses only the columns it wants. FORMAT.md
// ("Record blocks") is the specification.
// The objects keep their compression contexts and scratch memory from one block to the next. One
// thread each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "traces/record_batch.hpp"

namespace rigel::rgt {

class ColumnEncoder {
 public:
  explicit ColumnEncoder(int compression_level);
  ~ColumnEncoder();

  // Replaces `payload` with the batch's present columns. Returns the decoded size, which the
  // block's header states.
  std::uint32_t encode(const RecordBatch& batch, std::vector<std::byte>& payload);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class ColumnDecoder {
 public:
  ColumnDecoder();
  ~ColumnDecoder();

  // Replaces `batch` with the `wanted` columns of a payload of `records` rows, as far as it has
  // them. Returns an empty string, or what is wrong with the payload; `batch` is then empty.
  // Allocates nothing before the payload's directory agrees with `decoded_bytes`.
  [[nodiscard]] std::string decode(std::span<const std::byte> payload, std::uint32_t records,
                                   std::uint32_t decoded_bytes, ColumnSet wanted,
                                   RecordBatch& batch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The columns a payload has, without decoding them; empty when its directory makes no sense.
[[nodiscard]] ColumnSet columns_of(std::span<const std::byte> payload);

}  // namespace rigel::rgt
