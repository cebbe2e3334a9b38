#include "traces/rwbs.hpp"

#include <gtest/gtest.h>

#include "traces/io_flag_names.hpp"

namespace rigel {
namespace {

std::pair<IoOp, std::uint32_t> parsed(std::string_view text) {
  IoOp op = IoOp::kOther;
  std::uint32_t flags = 0;
  EXPECT_TRUE(parse_rwbs(text, op, flags)) << text;
  return {op, flags};
}

// The forms that blk_fill_rwbs() can produce.
TEST(Rwbs, IsReadAsTheKernelWritesIt) {
  using namespace io_flag;
  EXPECT_EQ(parsed("R"), (std::pair{IoOp::kRead, 0U}));
  EXPECT_EQ(parsed("RAM"), (std::pair{IoOp::kRead, kReadahead | kMeta}));
  EXPECT_EQ(parsed("WS"), (std::pair{IoOp::kWrite, kSync}));
  EXPECT_EQ(parsed("WFS"), (std::pair{IoOp::kWrite, kFua | kSync}));
  EXPECT_EQ(parsed("FWFSM"), (std::pair{IoOp::kWrite, kPreflush | kFua | kSync | kMeta}));
  EXPECT_EQ(parsed("F"), (std::pair{IoOp::kFlush, 0U}));
  EXPECT_EQ(parsed("FF"), (std::pair{IoOp::kFlush, kPreflush}));
  EXPECT_EQ(parsed("D"), (std::pair{IoOp::kDiscard, 0U}));
  EXPECT_EQ(parsed("DE"), (std::pair{IoOp::kDiscard, 0U}));
  EXPECT_EQ(parsed("N"), (std::pair{IoOp::kOther, 0U}));
  IoOp op{};
  std::uint32_t flags = 0;
  for (const char* none : {"", "X", "S", "WX", "12", "r"}) {
    EXPECT_FALSE(parse_rwbs(none, op, flags)) << none;
  }
}

TEST(Rwbs, ComesBackAsItWasWritten) {
  using namespace io_flag;
  for (const IoOp op : {IoOp::kRead, IoOp::kWrite, IoOp::kDiscard, IoOp::kFlush, IoOp::kOther}) {
    for (const std::uint32_t flags : {0U, kSync, kFua | kSync, kPreflush, kReadahead | kMeta}) {
      // "FF…" could be a flush with FUA, which the kernel never asks for.
      if (op == IoOp::kFlush && (flags & (kFua | kPreflush)) != 0) continue;
      EXPECT_EQ(parsed(format_rwbs(op, flags)), (std::pair{op, flags})) << format_rwbs(op, flags);
    }
  }
}

TEST(FlagNames, ComeBackAsTheyWereWritten) {
  for (unsigned bit = 0; bit < 32; ++bit) {
    std::uint32_t flags = 0;
    ASSERT_TRUE(parse_flags(format_flags(1U << bit), flags)) << bit;
    EXPECT_EQ(flags, 1U << bit);
  }
  EXPECT_EQ(format_flags(io_flag::kSync | io_flag::kFua | 1U << 30), "sync+fua+0x40000000");
  EXPECT_EQ(format_flags(0), "0");
  std::uint32_t flags = 0;
  EXPECT_TRUE(parse_flags("", flags));
  for (const char* bad : {"sync+", "+", "nosuch", "0x", "0x1zz", "0x100000000"}) {
    EXPECT_FALSE(parse_flags(bad, flags)) << bad;
  }
}

}  // namespace
}  // namespace rigel
