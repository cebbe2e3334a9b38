#include "traces/decompress.hpp"

#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "traces/error.hpp"
#include "traces/peekable_source.hpp"

namespace rigel {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;
constexpr std::uint64_t kMemoryLimitBytes = std::uint64_t{128} << 20;
constexpr int kZstdWindowLog = 27;

// One step of a decoder: it consumes from `in` and produces into `out`, advancing both.
struct Step {
  std::span<const std::byte> in;
  std::span<std::byte> out;
};

template <typename T>
T* as(const std::byte* bytes) {
  // zlib's and bzip2's interfaces take char, and non-const input that they do not write to.
  return reinterpret_cast<T*>(const_cast<std::byte*>(bytes));
}

// A decoder has: step(Step&) -> true at the end of a member; restart() before the next member;
// kName. Its errors are Error texts without the place, which DecompressedSource adds.
class GzipDecoder {
 public:
  static constexpr const char* kName = "gzip";
  GzipDecoder() {
    // 15: the largest window; +16: a gzip header, not zlib's.
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw Error{"out of memory"};
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() { inflateEnd(&stream_); }
  void restart() { inflateReset(&stream_); }
  bool step(Step& io) {
    stream_.next_in = as<Bytef>(io.in.data());
    stream_.avail_in = static_cast<uInt>(io.in.size());
    stream_.next_out = as<Bytef>(io.out.data());
    stream_.avail_out = static_cast<uInt>(io.out.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    io.in = io.in.last(stream_.avail_in);
    io.out = io.out.last(stream_.avail_out);
    if (result == Z_STREAM_END) return true;
    if (result == Z_OK || result == Z_BUF_ERROR) return false;
    throw Error{stream_.msg != nullptr ? stream_.msg : "damaged data"};
  }

 private:
  z_stream stream_{};
};

class Bzip2Decoder {
 public:
  static constexpr const char* kName = "bzip2";
  Bzip2Decoder() { start(); }
  Bzip2Decoder(const Bzip2Decoder&) = delete;
  Bzip2Decoder& operator=(const Bzip2Decoder&) = delete;
  ~Bzip2Decoder() { BZ2_bzDecompressEnd(&stream_); }
  void restart() {
    BZ2_bzDecompressEnd(&stream_);
    stream_ = {};
    start();
  }
  bool step(Step& io) {
    stream_.next_in = as<char>(io.in.data());
    stream_.avail_in = static_cast<unsigned>(io.in.size());
    stream_.next_out = as<char>(io.out.data());
    stream_.avail_out = static_cast<unsigned>(io.out.size());
    const int result = BZ2_bzDecompress(&stream_);
    io.in = io.in.last(stream_.avail_in);
    io.out = io.out.last(stream_.avail_out);
    if (result == BZ_STREAM_END) return true;
    if (result == BZ_OK) return false;
    throw Error{result == BZ_MEM_ERROR ? "out of memory" : "damaged data"};
  }

 private:
  void start() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw Error{"out of memory"};
  }
  bz_stream stream_{};
};

class XzDecoder {
 public:
  static constexpr const char* kName = "xz";
  XzDecoder() { restart(); }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  ~XzDecoder() { lzma_end(&stream_); }
  void restart() {
    if (lzma_stream_decoder(&stream_, kMemoryLimitBytes, 0) != LZMA_OK) {
      throw Error{"out of memory"};
    }
  }
  bool step(Step& io) {
    stream_.next_in = as<const std::uint8_t>(io.in.data());
    stream_.avail_in = io.in.size();
    stream_.next_out = as<std::uint8_t>(io.out.data());
    stream_.avail_out = io.out.size();
    const lzma_ret result = lzma_code(&stream_, LZMA_RUN);
    io.in = io.in.last(stream_.avail_in);
    io.out = io.out.last(stream_.avail_out);
    if (result == LZMA_STREAM_END) return true;
    if (result == LZMA_OK || result == LZMA_BUF_ERROR) return false;
    if (result == LZMA_MEMLIMIT_ERROR) throw Error{"needs more than 128 MiB of memory"};
    throw Error{"damaged data"};
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdDecoder {
 public:
  static constexpr const char* kName = "zstd";
  ZstdDecoder() : stream_{ZSTD_createDStream()} {
    if (stream_ == nullptr) throw Error{"out of memory"};
    check(ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kZstdWindowLog));
  }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;
  ~ZstdDecoder() { ZSTD_freeDStream(stream_); }
  void restart() { check(ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only)); }
  bool step(Step& io) {
    ZSTD_inBuffer in{io.in.data(), io.in.size(), 0};
    ZSTD_outBuffer out{io.out.data(), io.out.size(), 0};
    const std::size_t result = check(ZSTD_decompressStream(stream_, &out, &in));
    io.in = io.in.subspan(in.pos);
    io.out = io.out.subspan(out.pos);
    return result == 0;
  }

 private:
  static std::size_t check(std::size_t result) {
    if (ZSTD_isError(result) != 0) throw Error{ZSTD_getErrorName(result)};
    return result;
  }
  ZSTD_DStream* stream_;
};

template <typename Decoder>
class DecompressedSource final : public ByteSource {
 public:
  explicit DecompressedSource(std::unique_ptr<ByteSource> source)
      : source_{std::move(source)}, buffer_(kInputBytes) {}

  std::size_t read(std::span<std::byte> into) override {
    Step io{unread_, into};
    while (!io.out.empty()) {
      if (io.in.empty() && !holds_output_ && !refill(io.in)) break;
      const Step before = io;
      try {
        if (between_members_) decoder_.restart();
        between_members_ = decoder_.step(io);
      } catch (const Error& error) {
        throw fail(consumed_ - io.in.size(), error.what());
      }
      // Nothing moved although there was input and room: the decoder is stuck on bad data.
      const bool moved = io.in.size() != before.in.size() || io.out.size() != before.out.size();
      if (!moved && !between_members_ && !before.in.empty()) {
        throw fail(consumed_ - io.in.size(), "damaged data");
      }
      holds_output_ = !between_members_ && io.out.empty();
    }
    unread_ = io.in;
    return into.size() - io.out.size();
  }
  [[nodiscard]] const std::string& name() const override { return source_->name(); }

 private:
  // More compressed bytes; false at the end, which must be the end of a member.
  bool refill(std::span<const std::byte>& in) {
    const std::size_t got = source_->read(buffer_);
    consumed_ += got;
    in = std::span{buffer_}.first(got);
    if (got == 0 && !between_members_) throw fail(consumed_, "the compressed data is cut short");
    // tar and tapes pad with zeros after the last member; gzip and xz ignore them too.
    if (between_members_) {
      while (!in.empty() && in.front() == std::byte{0}) in = in.subspan(1);
      if (in.empty() && got != 0) return refill(in);
    }
    return got != 0;
  }
  [[nodiscard]] Error fail(std::uint64_t offset_bytes, const std::string& what) const {
    return error_at(name(), offset_bytes, fmt::format("{}: {}", Decoder::kName, what));
  }

  std::unique_ptr<ByteSource> source_;
  std::vector<std::byte> buffer_;
  std::span<const std::byte> unread_;  // of buffer_
  std::uint64_t consumed_ = 0;         // bytes taken from source_
  bool between_members_ = false;
  bool holds_output_ = false;  // the room ended before the decoder's output did, perhaps
  Decoder decoder_;
};

template <std::size_t N>
bool starts_with(std::span<const std::byte> head, const std::array<unsigned char, N>& magic) {
  return head.size() >= N && std::memcmp(head.data(), magic.data(), N) == 0;
}

}  // namespace

std::unique_ptr<ByteSource> decompress(std::unique_ptr<ByteSource> source) {
  auto peekable = std::make_unique<PeekableSource>(std::move(source));
  const auto head = peekable->peek(6);
  if (starts_with(head, std::to_array<unsigned char>({0x1f, 0x8b, 8}))) {
    return std::make_unique<DecompressedSource<GzipDecoder>>(std::move(peekable));
  }
  if (starts_with(head, std::to_array<unsigned char>({0xfd, '7', 'z', 'X', 'Z', 0}))) {
    return std::make_unique<DecompressedSource<XzDecoder>>(std::move(peekable));
  }
  if (starts_with(head, std::to_array<unsigned char>({0x28, 0xb5, 0x2f, 0xfd}))) {
    return std::make_unique<DecompressedSource<ZstdDecoder>>(std::move(peekable));
  }
  if (starts_with(head, std::to_array<unsigned char>({'B', 'Z', 'h'}))) {
    return std::make_unique<DecompressedSource<Bzip2Decoder>>(std::move(peekable));
  }
  return peekable;
}

}  // namespace rigel
