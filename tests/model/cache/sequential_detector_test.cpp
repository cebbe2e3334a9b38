#include "model/cache/sequential_detector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "model/cache/page_stream.hpp"

namespace rigel::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::uint64_t> ahead_of(SequentialDetector& detector, std::uint64_t first,
                                    std::uint64_t last) {
  const SequentialDetector::Pages pages = detector.note_read(first, last);
  std::vector<std::uint64_t> list;
  for (std::uint64_t page = pages.begin; page < pages.end; ++page) list.push_back(page);
  return list;
}

TEST(SequentialDetector, ReadsAheadFromTheThirdRequestOn) {
  SequentialDetector detector{4};
  EXPECT_THAT(ahead_of(detector, 10, 11), IsEmpty());
  EXPECT_THAT(ahead_of(detector, 12, 12), IsEmpty());
  EXPECT_THAT(ahead_of(detector, 13, 14), ElementsAre(15, 16, 17, 18));
  EXPECT_THAT(ahead_of(detector, 15, 15), ElementsAre(19));
  EXPECT_THAT(ahead_of(detector, 16, 19), ElementsAre(20, 21, 22, 23));
}

TEST(SequentialDetector, LeavesRandomReadsAlone) {
  SequentialDetector detector{4};
  for (const std::uint64_t page : {7U, 3U, 100U, 50U, 9U, 1U, 3U, 70U}) {
    EXPECT_THAT(ahead_of(detector, page, page), IsEmpty()) << page;
  }
}

TEST(SequentialDetector, FollowsInterleavedStreams) {
  SequentialDetector detector{2};
  for (const std::uint64_t page : {10U, 500U, 11U, 501U}) {
    EXPECT_THAT(ahead_of(detector, page, page), IsEmpty());
  }
  EXPECT_THAT(ahead_of(detector, 12, 12), ElementsAre(13, 14));
  EXPECT_THAT(ahead_of(detector, 502, 502), ElementsAre(503, 504));
}

TEST(SequentialDetector, TakesSmallRequestsThatShareAPageForOneStream) {
  SequentialDetector detector{2};
  EXPECT_THAT(ahead_of(detector, 10, 10), IsEmpty());
  EXPECT_THAT(ahead_of(detector, 10, 10), IsEmpty());  // the same page again: no step
  EXPECT_THAT(ahead_of(detector, 10, 11), IsEmpty());
  EXPECT_THAT(ahead_of(detector, 11, 12), ElementsAre(13, 14));
}

TEST(SequentialDetector, ForgetsTheStreamThatWasIdleLongest) {
  SequentialDetector detector{2};
  EXPECT_THAT(ahead_of(detector, 10, 10), IsEmpty());
  EXPECT_THAT(ahead_of(detector, 11, 11), IsEmpty());
  for (std::uint64_t i = 0; i < SequentialDetector::kMostStreams; ++i) {
    EXPECT_THAT(ahead_of(detector, 1000 * (i + 1), 1000 * (i + 1)), IsEmpty());
  }
  EXPECT_THAT(ahead_of(detector, 12, 12), IsEmpty());
}

TEST(SequentialDetector, StaysOnTheDevice) {
  SequentialDetector detector{4};
  const std::uint64_t last = (std::uint64_t{1} << kPageNumberBits) - 1;
  static_cast<void>(ahead_of(detector, last - 3, last - 3));
  static_cast<void>(ahead_of(detector, last - 2, last - 2));
  EXPECT_THAT(ahead_of(detector, last - 1, last - 1), ElementsAre(last));
}

}  // namespace
}  // namespace rigel::test
