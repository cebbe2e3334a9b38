// Compressed inputs, made by each library's own compressor.
#include "traces/decompress.hpp"

#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/traces/importers/imported.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}
std::string bzip2(const std::string& text) {
  auto size = static_cast<unsigned>(text.size() + text.size() / 50 + 700);
  std::string packed(size, '\0');
  BZ2_bzBuffToBuffCompress(packed.data(), &size, const_cast<char*>(text.data()),
                           static_cast<unsigned>(text.size()), 9, 0, 0);
  packed.resize(size);
  return packed;
}
std::string xz(const std::string& text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr,
                          reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
  packed.resize(size);
  return packed;
}
std::string zstd(const std::string& text) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);  // as the zstd command does
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return packed;
}

std::string decompressed(const std::string& packed, std::size_t piece = 10'007) {
  auto source = decompress(memory_source(std::as_bytes(std::span{packed}), "input"));
  std::string text;
  std::string buffer(piece, '\0');
  for (;;) {
    const std::size_t got = source->read(std::as_writable_bytes(std::span{buffer}));
    text.append(buffer, 0, got);
    if (got < buffer.size()) return text;
  }
}

// Some of it repetitive, some of it not, and larger than every buffer on the way.
std::string sample() {
  std::string text;
  std::uint64_t state = 1;
  while (text.size() < 3'000'000) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    text += std::to_string(state >> 40) + (state % 7 == 0 ? std::string(1000, 'a') : "\n");
  }
  return text;
}

class Compressed : public testing::TestWithParam<std::string (*)(const std::string&)> {};

TEST_P(Compressed, ComesOutAsItWentIn) {
  const std::string text = sample();
  const std::string packed = GetParam()(text);
  ASSERT_LT(packed.size(), text.size());
  EXPECT_TRUE(decompressed(packed) == text);
  EXPECT_TRUE(decompressed(packed, 4'000'000) == text);
  EXPECT_EQ(decompressed(GetParam()("x"), 1), "x");
}

TEST_P(Compressed, SeveralMembersAreOneStream) {
  const std::string text = sample();
  EXPECT_TRUE(decompressed(GetParam()(text) + GetParam()("more") + GetParam()(text)) ==
              text + "more" + text);
}

TEST_P(Compressed, ACutIsAnErrorWithItsOffset) {
  const std::string packed = GetParam()(sample());
  const std::string cut = packed.substr(0, packed.size() / 2);
  try {
    decompressed(cut);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("input: at byte " + std::to_string(cut.size()) + ":"));
    EXPECT_THAT(error.what(), testing::HasSubstr("cut short"));
  }
}

TEST_P(Compressed, DamageIsAnErrorNotAHangOrACrash) {
  const std::string text = sample().substr(0, 20'000);
  const std::string packed = GetParam()(text);
  std::size_t refused = 0;
  std::size_t tried = 0;
  for (std::size_t at = 0; at < packed.size(); at += 97, ++tried) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    try {
      decompressed(damaged);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, tried / 2);
}

std::string format_name(const testing::TestParamInfo<std::string (*)(const std::string&)>& info) {
  static constexpr const char* kNames[] = {"Gzip", "Bzip2", "Xz", "Zstd"};
  return kNames[info.index];
}
INSTANTIATE_TEST_SUITE_P(Formats, Compressed, testing::Values(gzip, bzip2, xz, zstd), format_name);

TEST(Decompress, WhatIsNotCompressedStaysAsItIs) {
  EXPECT_EQ(decompressed("BZ"), "BZ");
  EXPECT_EQ(decompressed(""), "");
}

TEST(Decompress, ZstdThatAsksForAHugeWindowIsRefused) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 28);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  std::string text = sample();
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);  // no end yet: the size is unknown
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  packed.resize(out.pos);
  EXPECT_THROW(decompressed(packed), Error);
}

}  // namespace
}  // namespace rigel
