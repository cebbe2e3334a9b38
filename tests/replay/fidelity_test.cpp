#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "replay/replay_result.hpp"

namespace rigel {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A replay of 10,000 I/Os over 10 s, each 1 us late.
ReplayResult good_replay() {
  ReplayResult result;
  result.depth = 4096;
  result.issue.issued = 10'000;
  result.issue.first_due_ns = 0;
  result.issue.last_due_ns = 10'000'000'000;
  result.issue.first_issue_ns = 1'000;
  result.issue.last_issue_ns = 10'000'001'000;
  result.issue.last_complete_ns = 10'000'100'000;
  result.issue.slip.add(1'000, 10'000);
  result.issue.recorded_gaps.add(1'000'000, 9'999);
  result.issue.issued_gaps.add(1'000'100, 9'999);
  return result;
}

TEST(Fidelity, ReplayThatDidWhatWasRecordedIsFaithful) {
  const Fidelity fidelity = judge(good_replay());
  EXPECT_TRUE(fidelity.faithful);
  EXPECT_THAT(fidelity.reasons, IsEmpty());
  EXPECT_EQ(fidelity.duration_error, 0.0);
}

TEST(Fidelity, LongerRunIsUnfaithfulByItsShare) {
  ReplayResult result = good_replay();
  result.issue.last_issue_ns += 2'500'000'000;
  const Fidelity fidelity = judge(result);
  EXPECT_NEAR(fidelity.duration_error.value(), 0.25, 1e-9);
  EXPECT_THAT(fidelity.reasons, Contains(HasSubstr("25 % longer")));
  EXPECT_FALSE(fidelity.faithful);
}

TEST(Fidelity, LateIssuesAreUnfaithfulOnlyBeyondTheThreshold) {
  ReplayResult result = good_replay();
  result.issue.slip.add(5'000'000, 90);
  EXPECT_TRUE(judge(result).faithful);
  result.issue.slip.add(5'000'000, 20);
  EXPECT_THAT(judge(result).reasons, Contains(HasSubstr("issued 5.0")));
}

TEST(Fidelity, DepthLimitIsHostLimitedAndSaidSo) {
  ReplayResult result = good_replay();
  result.depth = 32;
  result.issue.delays.depth_limit = 11;
  const Fidelity fidelity = judge(result);
  EXPECT_THAT(fidelity.reasons,
              Contains("host-limited: 11 I/Os waited because 32 were outstanding (--depth)"));
  EXPECT_THAT(fidelity.advice, Contains(HasSubstr("--depth")));
}

TEST(Fidelity, TargetThatFellBehindIsUnfaithful) {
  ReplayResult result = good_replay();
  result.issue.last_complete_ns = result.issue.last_issue_ns + 3'000'000'000;
  EXPECT_THAT(judge(result).reasons,
              Contains(HasSubstr("the target fell behind: it needed 3.00 s")));
}

TEST(Fidelity, FailuresAndRecordsNotIssuedAreUnfaithfulButChoicesAreNot) {
  ReplayResult result = good_replay();
  result.tally.left_out["write without --write"] = 5'000;
  EXPECT_TRUE(judge(result).faithful);
  result.tally.impossible["beyond the end of the target"] = 3;
  result.issue.errors[EIO] = 2;
  EXPECT_THAT(
      judge(result).reasons,
      testing::ElementsAre("3 records not issued: beyond the end of the target", "2 I/Os failed"));
}

TEST(Fidelity, ClosedLoopIsNotJudgedByTimes) {
  ReplayResult result = good_replay();
  result.timing = ReplayTiming::kFlatOut;
  result.issue.last_issue_ns *= 5;
  EXPECT_TRUE(judge(result).faithful);
  EXPECT_EQ(judge(result).duration_error, std::nullopt);
  EXPECT_EQ(judge(result).interarrival_ks, std::nullopt);
}

TEST(Fidelity, DependentTimingIsJudgedByItsOwnDueTimesOnly) {
  ReplayResult result = good_replay();
  result.timing = ReplayTiming::kDependent;
  result.issue.last_issue_ns *= 5;  // the target is slower than the recorded one
  EXPECT_TRUE(judge(result).faithful);
  result.issue.slip.add(5'000'000, 300);
  EXPECT_FALSE(judge(result).faithful);
}

TEST(Fidelity, WhatTheInputItselfLacksIsUnfaithful) {
  ReplayResult result = good_replay();
  result.tally.missing.reasons = {"17 I/Os lost: ring full"};
  EXPECT_THAT(judge(result).reasons,
              testing::ElementsAre("the trace is not all that happened: 17 I/Os lost: ring full"));
}

TEST(Fidelity, AWarmUpLongerThanTheRunMeasuresNothing) {
  ReplayResult result = good_replay();
  result.warm_up_ns = 3'600'000'000'000;
  EXPECT_THAT(judge(result).reasons, Contains(HasSubstr("nothing was measured")));
  result.issue.measured = 1;
  EXPECT_TRUE(judge(result).faithful);
}

TEST(Fidelity, ATargetThatKeptSilentIsSpokenOf) {
  ReplayResult result = good_replay();
  result.targets.resize(1);
  result.targets[0].path = "/dev/slow";
  result.targets[0].longest_silence_ns = 61'000'000'000;
  EXPECT_THAT(judge(result).advice, Contains(HasSubstr("/dev/slow answered nothing for 61.0 s")));
}

TEST(Fidelity, NothingIssuedIsUnfaithful) {
  EXPECT_FALSE(judge(ReplayResult{}).faithful);
}

TEST(KsDistance, IsTheLargestDifferenceOfTheDistributions) {
  LatencyHistogram a;
  LatencyHistogram b;
  a.add(20'000, 50);
  a.add(80'000, 50);
  b.add(20'000, 20);
  b.add(80'000, 80);
  EXPECT_NEAR(ks_distance(a, b), 0.3, 1e-12);
  EXPECT_EQ(ks_distance(a, a), 0);
  LatencyHistogram disjoint;
  disjoint.add(1'000'000, 7);
  EXPECT_EQ(ks_distance(a, disjoint), 1);
}

TEST(KsDistance, GapsBelowTheResolutionAreEqual) {
  LatencyHistogram stamps_of_whole_microseconds;
  LatencyHistogram issued;
  stamps_of_whole_microseconds.add(0, 100);
  issued.add(1'500, 60);
  issued.add(6'000, 40);
  EXPECT_EQ(ks_distance(stamps_of_whole_microseconds, issued), 0);
}

TEST(MergeIssuerResults, ThreadsOfOneReplayShareItsSpan) {
  IssuerResult a = good_replay().issue;
  IssuerResult b = good_replay().issue;
  b.first_due_ns = -5;
  b.last_complete_ns = 20'000'000'000;
  b.errors[EIO] = 1;
  IssuerResult total;
  merge(total, a);
  merge(total, b);
  merge(total, IssuerResult{});
  EXPECT_EQ(total.issued, 20'000U);
  EXPECT_EQ(total.first_due_ns, -5);
  EXPECT_EQ(total.first_issue_ns, 1'000);
  EXPECT_EQ(total.last_complete_ns, 20'000'000'000);
  EXPECT_EQ(total.slip.count(), 20'000U);
  EXPECT_EQ(total.errors.at(EIO), 1);
}

}  // namespace
}  // namespace rigel
