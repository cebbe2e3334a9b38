// .gz, .xz, .zst and .bz2 as byte sources, recognised by their magic numbers. Several members or
// frames one after the other (pigz, pbzip2, `cat a.gz b.gz`) are one stream, as the tools have it.
// Memory is bounded: inputs that ask for a window of more than 128 MiB are refused.
#pragma once

#include <memory>

#include "traces/byte_source.hpp"

namespace rigel {

// The decompressed bytes of `source`, or `source` as it is when it is not compressed. read() of
// the result throws Error naming the input, the offset in the compressed file, and the cause
// (damaged, cut short, needs too much memory).
[[nodiscard]] std::unique_ptr<ByteSource> decompress(std::unique_ptr<ByteSource> source);

}  // namespace rigel
