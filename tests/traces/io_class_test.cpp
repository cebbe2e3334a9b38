#include "traces/io_class.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

TEST(IoClassTest, ReadsGoBySizeUnlessTheProcessSaysMore) {
  EXPECT_EQ(io_class("foreground", IoOp::kRead, 8192), "single-block read");
  EXPECT_EQ(io_class("foreground", IoOp::kRead, 32768), "single-block read");
  EXPECT_EQ(io_class("foreground", IoOp::kRead, 32769), "multi-block read");
  EXPECT_EQ(io_class("parallel", IoOp::kRead, 1 << 20), "direct path read");
  EXPECT_EQ(io_class("parallel", IoOp::kRead, 8192), "single-block read");
  EXPECT_EQ(io_class("smon", IoOp::kRead, 131072), "multi-block read");
  EXPECT_EQ(io_class("arch", IoOp::kRead, 1 << 20), "redo read");
  EXPECT_EQ(io_class("ckpt", IoOp::kRead, 16384), "control file read");
}

TEST(IoClassTest, WritesGoByTheProcess) {
  EXPECT_EQ(io_class("lgwr", IoOp::kWrite, 512), "redo write");
  EXPECT_EQ(io_class("walwriter", IoOp::kWrite, 8192), "redo write");
  EXPECT_EQ(io_class("dbwr", IoOp::kWrite, 8192), "data file write");
  EXPECT_EQ(io_class("checkpointer", IoOp::kWrite, 8192), "data file write");
  EXPECT_EQ(io_class("arch", IoOp::kWrite, 1 << 20), "archive write");
  EXPECT_EQ(io_class("parallel", IoOp::kWrite, 1 << 20), "direct path write");
  EXPECT_EQ(io_class("foreground", IoOp::kWrite, 1 << 20), "foreground write");
  EXPECT_EQ(io_class("mmon", IoOp::kWrite, 16384), "other write");
}

TEST(IoClassTest, WhatIsNoDatabasesOrMovesNoDataHasNone) {
  EXPECT_EQ(io_class("", IoOp::kRead, 8192), "");
  EXPECT_EQ(io_class("lgwr", IoOp::kFlush, 0), "");
  EXPECT_EQ(io_class("dbwr", IoOp::kDiscard, 1 << 20), "");
}

}  // namespace
}  // namespace rigel
