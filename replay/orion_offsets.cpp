#include "replay/orion_offsets.hpp"

#include <Random123/philox.h>

namespace rigel {
namespace {

std::uint64_t join(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32) | low;
}

__extension__ using Wide = unsigned __int128;

PagePermutation random_order(CounterRandom& random, std::uint64_t blocks) {
  PagePermutation::Key key{};
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint64_t bits = random.next();
    for (std::size_t i = 0; i < 8; ++i) {
      key[8 * half + i] = static_cast<unsigned char>(bits >> (8 * i));
    }
  }
  return {key, blocks};
}

}  // namespace

std::uint64_t CounterRandom::next() {
  if (have_second_half_) {
    have_second_half_ = false;
    return second_half_;
  }
  const r123::Philox4x32 philox;
  const r123::Philox4x32::key_type key{
      {static_cast<std::uint32_t>(stream_.seed), static_cast<std::uint32_t>(stream_.seed >> 32)}};
  const r123::Philox4x32::ctr_type counter{{static_cast<std::uint32_t>(counter_),
                                            static_cast<std::uint32_t>(counter_ >> 32),
                                            stream_.thread << 8 | stream_.lane, stream_.point}};
  ++counter_;
  const auto bits = philox(counter, key);
  second_half_ = join(bits[2], bits[3]);
  have_second_half_ = true;
  return join(bits[0], bits[1]);
}

std::uint64_t CounterRandom::below(std::uint64_t bound) {
  Wide product = Wide{next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t uneven = (0 - bound) % bound;  // 2^64 mod bound
    while (static_cast<std::uint64_t>(product) < uneven) product = Wide{next()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

RandomOffsets::RandomOffsets(const OffsetStream& stream, std::uint64_t blocks, bool no_repeat,
                             std::uint32_t threads)
    : random_{no_repeat ? OffsetStream{stream.seed, stream.point, stream.lane} : stream},
      blocks_{blocks},
      threads_{threads},
      at_{stream.thread} {
  if (no_repeat) order_ = random_order(random_, blocks_);
}

std::uint64_t RandomOffsets::next() {
  if (!order_) return random_.below(blocks_);
  for (; at_ >= blocks_; at_ -= blocks_) order_ = random_order(random_, blocks_);
  const std::uint64_t block = (*order_)(at_);
  at_ += threads_;
  return block;
}

std::uint64_t striped_stream_start(std::uint64_t blocks, std::uint32_t index, std::uint32_t count) {
  if (count == 1) return 0;
  return static_cast<std::uint64_t>(Wide{blocks} * (index + 1) / (count + 1));
}

}  // namespace rigel
