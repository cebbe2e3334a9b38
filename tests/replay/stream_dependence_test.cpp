#include "replay/stream_dependence.hpp"

#include <gtest/gtest.h>

#include "traces/io_record.hpp"

namespace rigel {
namespace {

TEST(StreamDependence, OneAtATimeWaitsForTheOneBeforeAndThinks) {
  StreamDependence streams;
  EXPECT_EQ(streams.add(0, 100, 150).think_ns, 100);  // from the trace's start
  const StreamDependence::Answer second = streams.add(0, 170, 200);
  EXPECT_EQ(second.think_ns, 20);  // after the completion at 150
  EXPECT_EQ(second.overlapped, 0U);
  EXPECT_EQ(streams.add(0, 200, 300).think_ns, 0);
}

TEST(StreamDependence, WhatWasStillInFlightWasNotWaitedFor) {
  StreamDependence streams;
  static_cast<void>(streams.add(0, 0, 100));
  const StreamDependence::Answer second = streams.add(0, 30, 50);
  EXPECT_EQ(second.think_ns, 30);  // after the issue at 0
  EXPECT_EQ(second.overlapped, 0b1U);
  // The second one has completed, at 50; the first one, two back, has not.
  const StreamDependence::Answer third = streams.add(0, 60, 70);
  EXPECT_EQ(third.think_ns, 10);
  EXPECT_EQ(third.overlapped, 0b10U);
  const StreamDependence::Answer fourth = streams.add(0, 130, 140);
  EXPECT_EQ(fourth.think_ns, 30);
  EXPECT_EQ(fourth.overlapped, 0U);
}

TEST(StreamDependence, StreamsAreLookedAtByThemselves) {
  StreamDependence streams;
  static_cast<void>(streams.add(0, 0, 1000));
  const StreamDependence::Answer other = streams.add(7, 10, 20);
  EXPECT_EQ(other.think_ns, 10);
  EXPECT_EQ(other.overlapped, 0U);
}

TEST(StreamDependence, WhatIsNotKnownToHaveCompletedIsNeverWaitedFor) {
  StreamDependence streams;
  static_cast<void>(streams.add(0, 0, kNoTime));
  EXPECT_EQ(streams.add(0, 10, 10).overlapped, 0b1U);
  for (std::int64_t i = 2; i < 65; ++i) {
    EXPECT_FALSE(streams.add(0, 10 * i, 10 * i).overlapped_before) << i;
  }
  for (std::int64_t i = 65; i < 200; ++i) {
    const StreamDependence::Answer answer = streams.add(0, 10 * i, 10 * i);
    EXPECT_TRUE(answer.overlapped_before) << i;
    EXPECT_EQ(answer.overlapped, 0U) << i;
    EXPECT_EQ(answer.think_ns, 10) << i;
  }
}

}  // namespace
}  // namespace rigel
