#include "model/compare/workload_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "tests/model/compare/synthetic_workload.hpp"
#include "tests/traces/memory_trace.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using test::make_workload;
using test::of_key;
using test::profile_of;
using test::significant_keys;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

WorkloadComparison compare(const std::vector<IoRecord>& a, const std::vector<IoRecord>& b) {
  return compare_workloads(profile_of(a), profile_of(b));
}

TEST(CompareWorkloads, FindsNothingBetweenATraceAndItself) {
  const WorkloadProfile profile = profile_of(make_workload({}));
  const WorkloadComparison comparison = compare_workloads(profile, profile);
  EXPECT_TRUE(comparison.same);
  EXPECT_GE(comparison.differences.size(), 12U);
  for (const Difference& difference : comparison.differences) {
    EXPECT_EQ(difference.distance, 0) << difference.key;
    EXPECT_EQ(difference.p, 1) << difference.key;
    EXPECT_FALSE(difference.significant) << difference.key;
    EXPECT_EQ(difference.a, difference.b) << difference.key;
    if (difference.wasserstein) {
      EXPECT_EQ(difference.wasserstein->value, 0) << difference.key;
    }
  }
  EXPECT_TRUE(comparison.missing.empty());
}

// Sequential reads of what was written before, then the same requests to the same places in another
// order.
TEST(CompareWorkloads, FindsOnlyPlacesInACopyWithShuffledAddresses) {
  std::vector<IoRecord> records = make_workload({});
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].offset_bytes = i % 400 * 4096 + i / 4000 * 1'000'000'000;
  }
  std::vector<IoRecord> shuffled = records;
  std::mt19937_64 random{5};
  for (std::size_t i = shuffled.size() - 1; i > 0; --i) {
    std::swap(shuffled[i].offset_bytes, shuffled[random() % (i + 1)].offset_bytes);
  }
  const WorkloadComparison comparison = compare(records, shuffled);
  EXPECT_THAT(significant_keys(comparison),
              ElementsAre("read_sequential", "write_sequential", "read_reuse", "write_reuse"));
  EXPECT_THAT(of_key(comparison, "read_reuse").words, HasSubstr("an LRU cache of"));
  EXPECT_FALSE(of_key(comparison, "read_reuse").wasserstein);
  EXPECT_GT(of_key(comparison, "read_sequential").a, 0.9);
}

// What all I/Os together do is the same; who does it is not.
TEST(CompareWorkloads, TellsReadsFromWrites) {
  std::vector<IoRecord> records = make_workload({.records = 20'000, .pages = 50, .write_share = 0});
  for (std::size_t i = 0; i < records.size(); i += 2) {  // hot reads, cold writes
    records[i].op = IoOp::kWrite;
    records[i].offset_bytes = (std::uint64_t{1} << 30) + i * 7919 % 20'000 * 4096;
  }
  const auto swapped = [](std::vector<IoRecord> copy) {
    for (IoRecord& record : copy) {
      record.op = record.op == IoOp::kRead ? IoOp::kWrite : IoOp::kRead;
    }
    return copy;
  };
  EXPECT_THAT(significant_keys(compare(records, swapped(records))),
              IsSupersetOf({"read_reuse", "write_reuse"}));
  for (std::size_t i = 0; i < records.size(); i += 2) {  // sequential writes
    records[i].offset_bytes = (std::uint64_t{1} << 30) + i / 2 * 4096;
  }
  EXPECT_THAT(significant_keys(compare(records, swapped(records))),
              IsSupersetOf({"read_sequential", "write_sequential"}));
}

TEST(CompareWorkloads, FindsOnlyTimingInACopyAtTwiceTheSpeed) {
  const std::vector<IoRecord> records = make_workload({});
  std::vector<IoRecord> fast = records;
  for (IoRecord& record : fast) {
    record.queue_ns /= 2;
    record.issue_ns = record.queue_ns;
    record.complete_ns = kNoTime;  // of a workload, not of what served it
  }
  const WorkloadComparison comparison = compare(records, fast);
  EXPECT_THAT(significant_keys(comparison), ElementsAre("interarrival_ns", "arrivals_per_100ms"));
  EXPECT_THAT(of_key(comparison, "interarrival_ns").words, HasSubstr("B is 2.00 times as fast"));
  EXPECT_NEAR(of_key(comparison, "interarrival_ns").wasserstein->value, 0.5e6, 0.02e6);
  EXPECT_LT(of_key(comparison, "unevenness").distance, 0.01);
}

TEST(CompareWorkloads, NamesAZipfWorkloadBesideAUniformOne) {
  const WorkloadComparison comparison =
      compare(make_workload({.zipf_exponent = 1}), make_workload({.seed = 2}));
  EXPECT_THAT(significant_keys(comparison),
              ElementsAre("read_reuse", "write_reuse", "footprint_bytes", "hot_spots"));
  const auto important = most_important(comparison, 3);
  ASSERT_EQ(important.size(), 3U);
  EXPECT_GE(important[0]->distance, important[1]->distance);
  // The hottest tenth of 20,000 pages under Zipf's law with exponent 1 has H(2000) / H(20000) =
  // 78 % of the draws; of the pages that were touched at all it is some less.
  EXPECT_NEAR(of_key(comparison, "hot_spots").a, 0.75, 0.1);
  EXPECT_LT(of_key(comparison, "hot_spots").b, 0.3);
}

// With a level of 5 % for all figures together, at least 38 of 40 pairs are the same.
TEST(CompareWorkloads, TakesTwoHalvesOfAStationaryWorkloadForTheSame) {
  int same = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const WorkloadComparison comparison =
        compare(make_workload({.records = 5000, .pages = 3000, .seed = 2 * seed}),
                make_workload({.records = 5000, .pages = 3000, .seed = 2 * seed + 1}));
    same += comparison.same ? 1 : 0;
    EXPECT_THAT(significant_keys(comparison), ElementsAre()) << "seed " << seed;
  }
  EXPECT_GE(same, 38);
}

TEST(CompareWorkloads, FindsWhatWasChangedAndNothingElse) {
  const std::vector<IoRecord> records = make_workload({});
  const auto changed = [&](auto change) {
    std::vector<IoRecord> copy = records;
    std::mt19937_64 random{8};
    for (IoRecord& record : copy) change(record, random);
    return significant_keys(compare(records, copy));
  };
  EXPECT_THAT(changed([](IoRecord& record, auto& random) {
                if (random() % 4 == 0) record.op = IoOp::kWrite;
              }),
              ElementsAre("op_mix"));
  EXPECT_THAT(changed([](IoRecord& record, auto&) {
                if (record.op == IoOp::kRead) record.length_bytes = 2048;
              }),
              ElementsAre("read_bytes"));
  EXPECT_THAT(changed([](IoRecord& record, auto&) {
                if (record.op == IoOp::kRead) record.complete_ns += 1'000'000;
              }),
              ElementsAre("queue_depth", "read_latency_ns"));
}

// A difference that is certain and of no interest: 1 % in the mix of 200,000 requests.
TEST(CompareWorkloads, LetsPassWhatIsCertainButSmall) {
  const WorkloadComparison comparison =
      compare(make_workload({.records = 200'000, .write_share = 0.30}),
              make_workload({.records = 200'000, .write_share = 0.31, .seed = 2}));
  EXPECT_TRUE(of_key(comparison, "op_mix").beyond_chance);
  EXPECT_FALSE(of_key(comparison, "op_mix").significant);
  EXPECT_TRUE(comparison.same);
}

// Twice as long a trace of the same workload touches more pages and re-reads more of them; over as
// many requests it does not.
TEST(CompareWorkloads, ComparesPlacesOverAsManyRequests) {
  for (const std::size_t longer : {40'000U, 30'000U, 1'000'000U}) {
    const WorkloadComparison comparison =
        compare(make_workload({.records = longer}), make_workload({.records = 20'000, .seed = 2}));
    EXPECT_THAT(significant_keys(comparison), ElementsAre()) << longer;
    EXPECT_LE(comparison.place_records, 20'000U);
    EXPECT_GE(comparison.place_records, 10'000U);
  }
}

// How often workloads of one law are found different, of `trials` pairs: chance allows 5 %.
template <typename Make>
int false_alarms(int trials, Make make) {
  int alarms = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto seed = static_cast<std::uint64_t>(2 * trial);
    alarms += compare(make(seed, true), make(seed + 1, false)).same ? 0 : 1;
  }
  return alarms;
}

// 7,000 I/Os in 140 ms: one window of 100 ms, which says nothing of how many start in others.
TEST(CompareWorkloads, FindsNothingBetweenShortTracesOfOneLaw) {
  EXPECT_LE(false_alarms(12,
                         [](std::uint64_t seed, bool) {
                           return make_workload({.records = 7'000, .iops = 50'000, .seed = seed});
                         }),
            1);
}

// Reads of 16 pages in a row from places anywhere, which every fourth of them reads again.
std::vector<IoRecord> make_scans(std::size_t records, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<IoRecord> scans = make_workload({.records = records, .write_share = 0, .seed = seed});
  std::uint64_t from = 0;
  for (std::size_t i = 0; i < scans.size(); ++i) {
    if (i % 16 == 0 && random() % 4 != 0) from = random() % 2'000;
    scans[i].offset_bytes = (from * 16 + i % 16) * 4096;
  }
  return scans;
}

TEST(CompareWorkloads, FindsNothingBetweenALongAndAShortTraceOfOneLaw) {
  EXPECT_LE(false_alarms(10, [](std::uint64_t seed,
                                bool longer) { return make_scans(longer ? 60'000 : 5'000, seed); }),
            1);
}

// Files of 256 pages, each used as often as chance has it, and differently by every seed.
TEST(CompareWorkloads, FindsNothingBetweenTracesWhosePagesAreUsedInStretches) {
  EXPECT_LE(false_alarms(10,
                         [](std::uint64_t seed, bool) {
                           std::mt19937_64 random{seed};
                           std::vector<double> weights(400);
                           for (double& weight : weights) {
                             weight = std::exponential_distribution<double>{1}(random);
                           }
                           std::discrete_distribution<std::uint64_t> file(weights.begin(),
                                                                          weights.end());
                           std::vector<IoRecord> records = make_workload({.seed = seed});
                           for (IoRecord& record : records) {
                             record.offset_bytes = (file(random) * 256 + random() % 256) * 4096;
                           }
                           return records;
                         }),
            1);
}

// What a trace of a few I/Os is like cannot be told: neither the same nor different.
TEST(CompareWorkloads, TellsNothingOfAFewIos) {
  const std::vector<IoRecord> many = make_workload({});
  const WorkloadComparison one = compare(many, {many.front()});
  EXPECT_TRUE(one.too_short);
  EXPECT_TRUE(one.same);
  EXPECT_THAT(one.differences, IsEmpty());
  EXPECT_THAT(one.missing, Contains("op_mix (too few: 20000 in A, 1 in B)"));
  EXPECT_FALSE(compare(many, make_workload({.records = 300, .seed = 2})).too_short);
}

// The p that is told is the one that decided: never more than 5 % of what is different.
TEST(CompareWorkloads, GivesThePThatDecided) {
  const std::vector<IoRecord> records = make_workload({});
  std::vector<IoRecord> longer = records;  // 5 of 100 writes are 200 times as long
  for (std::size_t i = 0; i < longer.size(); i += 25) longer[i].length_bytes = 200 * 4096;
  for (const auto& other : {longer, make_workload({.zipf_exponent = 1, .seed = 3})}) {
    for (const Difference& difference : compare(records, other).differences) {
      if (!difference.significant) continue;
      EXPECT_TRUE(difference.matters) << difference.key;
      EXPECT_TRUE(difference.beyond_chance) << difference.key;
      EXPECT_LE(difference.p, 0.05) << difference.key;
    }
  }
}

// A trace whose phases re-read different places, and the same requests at shuffled places: the
// miss ratio curves differ by far more than the 0.03 that matters, though they rise from cold to
// warm in both.
TEST(CompareWorkloads, FindsReuseInAShuffledCopyOfAWorkloadOfPhases) {
  std::vector<IoRecord> records = make_workload({.records = 30'000});
  std::mt19937_64 random{7};
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::uint64_t phase = i / 5'000;
    records[i].offset_bytes = (phase * 3'000 + random() % (i % 3 == 0 ? 300 : 6'000)) * 4096;
  }
  std::vector<IoRecord> shuffled = records;
  for (std::size_t i = shuffled.size() - 1; i > 0; --i) {
    std::swap(shuffled[i].offset_bytes, shuffled[random() % (i + 1)].offset_bytes);
  }
  EXPECT_THAT(significant_keys(compare(records, shuffled)), Contains("read_reuse"));
}

TEST(CompareWorkloads, SaysWhatOnlyOneOfThemHas) {
  std::vector<IoRecord> untimed = make_workload({});
  for (IoRecord& record : untimed) record.queue_ns = record.issue_ns = record.complete_ns = kNoTime;
  const WorkloadComparison comparison = compare(make_workload({}), untimed);
  EXPECT_THAT(comparison.missing, Contains(HasSubstr("interarrival_ns (B has none)")));
  for (const Difference& difference : comparison.differences) {
    EXPECT_NE(difference.family, "timing");
  }
  const WorkloadComparison empty = compare({}, {});
  EXPECT_TRUE(empty.differences.empty());
}

TEST(CompareWorkloads, TellsRolesApart) {
  TraceTables tables = tables_of({"sda"}, {"ora_lgwr", "ora_dbw0"});
  tables.streams[0].role = "lgwr";
  tables.streams[1].role = "dbwr";
  const auto profile = [&](std::int64_t lgwr_ns) {
    std::vector<IoRecord> records = make_workload({.write_share = 1});
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].stream = i % 2;
      if (i % 2 == 0) records[i].complete_ns += lgwr_ns;
    }
    MemoryTrace trace{records, tables, ColumnSet::all(), 1000};
    return profile_workload(trace, {});
  };
  const WorkloadComparison comparison = compare_workloads(profile(0), profile(3'000'000));
  EXPECT_TRUE(of_key(comparison, "latency_ns.lgwr").significant);
  EXPECT_FALSE(of_key(comparison, "latency_ns.dbwr").significant);
}

TEST(ProfileWorkload, RefusesAPageThatIsNone) {
  MemoryTrace trace{{}};
  EXPECT_THROW((void)profile_workload(trace, {.page_bytes = 0}), UsageError);
}

// u is Beta(32, 32) for a Poisson process, whose E|2u - 1| is 0.0993; a clock has 0.
TEST(ProfileWorkload, UnevennessIsThatOfAPoissonProcess) {
  const WorkloadProfile profile = profile_of(make_workload({.records = 200'000}));
  EXPECT_NEAR(profile.of(Figure::kUnevenness).mean() / 1000, 0.0993, 0.005);
  std::vector<IoRecord> clock = make_workload({});
  for (std::size_t i = 0; i < clock.size(); ++i) {
    clock[i].queue_ns = clock[i].issue_ns = static_cast<std::int64_t>(i) * 1'000'000;
    clock[i].complete_ns = kNoTime;
  }
  EXPECT_EQ(profile_of(clock).of(Figure::kUnevenness).mean(), 0);
}

// What is known of such I/Os is when they ended: not how long they took.
TEST(ProfileWorkload, HasNoLatencyOfIosWithCompletionsOnly) {
  std::vector<IoRecord> records = make_workload({});
  for (IoRecord& record : records) record.queue_ns = record.issue_ns = kNoTime;
  const WorkloadProfile profile = profile_of(records);
  EXPECT_EQ(profile.of(Figure::kReadLatency).count(), 0);
  EXPECT_EQ(profile.of(Figure::kQueueDepth).count(), 0);
  EXPECT_GT(profile.of(Figure::kInterarrival).count(), 0);
}

TEST(ProfileWorkload, BoundsItsBlocks) {
  const WorkloadProfile profile = profile_of(make_workload({.records = 100'000}));
  EXPECT_LE(profile.places.size(), 64U);
  EXPECT_GE(profile.places.size(), 32U);
  EXPECT_EQ(profile.places.back().records, 100'000U);
  EXPECT_EQ(profile.starts_ns.size(), profile.places.size());
  EXPECT_TRUE(std::is_sorted(profile.starts_ns.begin(), profile.starts_ns.end()));
  EXPECT_EQ(profile.of(Figure::kOp).count(), 100'000);
}

}  // namespace
}  // namespace rigel
