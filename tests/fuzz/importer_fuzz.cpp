// Any bytes given to any importer end in records, damage or an Error, never in a crash, a hang or
// an index without an entry.
//
// With RIGEL_FUZZ_FORMAT this is a libFuzzer harness for that importer (fuzz_importer_<format>).
// Without, it is a test that gives every importer a seed of every format, and each seed's
// truncations and mutations, so that what a fuzzer found stays found.
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "traces/error.hpp"
#include "traces/importer.hpp"

namespace rigel {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// Returns the number of records.
std::size_t read_as(std::string_view format, std::span<const std::byte> bytes) {
  OpenOptions options;
  options.format = format;
  for (const Importer& importer : importers()) {
    if (importer.name == format && !importer.fixed_time_unit) options.time_unit = "us";
  }
  std::size_t records = 0;
  try {
    std::vector<std::unique_ptr<ByteSource>> inputs;
    inputs.push_back(memory_source(bytes, "input"));
    const auto source = open_inputs(std::move(inputs), options);
    RecordBatch batch;
    while (source->next(batch)) {
      require(!batch.empty());
      const TraceTables& tables = source->tables();
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const IoRecord record = batch.record(i);
        require(record.device == 0 || record.device < tables.devices.size());
        require(record.stream == 0 || record.stream < tables.streams.size());
      }
      records += batch.size();
    }
    require(batch.empty());
    // Damage and warnings are lists for people: they stay short whatever comes.
    require(source->tables().damage.size() <= 102 && source->tables().warnings.size() <= 110);
  } catch (const Error&) {
  }
  return records;
}

}  // namespace
}  // namespace rigel

#ifdef RIGEL_FUZZ_FORMAT

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rigel::read_as(RIGEL_FUZZ_FORMAT, std::as_bytes(std::span{data, size}));
  return 0;
}

#else

#include <gtest/gtest.h>

#include <ostream>

namespace rigel {

// gtest would name the tests by the addresses in it.
void PrintTo(const Importer& importer, std::ostream* to) {
  *to << importer.name;
}

namespace {

// Lines of every text format; the binary ones are built from their magic numbers.
std::vector<std::string> seeds() {
  std::vector<std::string> all{
      "fio version 2 iolog\n/dev/sdb add\n/dev/sdb wait 250 0\n/dev/sdb read 8192 8192\n",
      "fio version 3 iolog\n0 /dev/sdb add\n11 /dev/sdb write 4096 4096\n12 /dev/sdb sync 0 0\n",
      "0, 4096, 8192\n1, 0, 512\n",
      "128166372003061629,hm,1,Read,383496192,32768,551\n",
      "0,20941264,8192,W,0.551706,Alpha/NT\n0,20939840,8192,r,0.554041\n3,-1,512,R,1.6\n",
      "419,W,8792731648,16384,1577808144360767\n",
      "1538323200,12910952,128,0,1063\n",
      "0,6218919,w,4096\n1560,6160455,r,512\n",
      "13.191135\t30\t0\t5\t1\n",
      "W Hit    4583176   4    663.00000  45422.00000\n",
      "938513000 4 264719034 16 0\n",
      "230027 8 0 0\n1842745 64 0 1\n",
      "2819\n*\n85\n",
      "prose\norig_start ; sector; length ; op\n 1.000000000 ; 2048 ; 8 ; R ; 0.1 ; 0.2\n",
      "\"Time (us)\",\"LBA\",\"Sectors\",\"Type\"\n100,2048,16,Read\n350,\"4096\",16,Write\n",
      "# rigel csv 1\n# devices {\"first\":0,\"entries\":[{\"name\":\"sda\"}]}\n"
      "queue_ns,device,offset_bytes,flags,stream\n5,0,512,sync+fua,0\n,0,0,0x40,0\n",
      "{\"rigel\":\"jsonl\",\"version\":1}\n{\"devices\":{\"first\":0,\"entries\":[{}]}}\n"
      "{\"queue_ns\":1,\"device\":0,\"op\":\"read\",\"flags\":\"sync\",\"cpu\":3}\n",
      "TIME(s)     COMM           PID     DISK      T      SECTOR     BYTES   QUE(ms)  LAT(ms)\n"
      "0.000087    oracle_5523 p  5523    nvme0n1   RA     733184     131072  0.002    0.544\n"
      "lost 128 events on CPU #1\n",
      "TIME(ms)     DISK    COMM             PID    LAT(ms)\n611 nvme0n1 bash 4179 10\n",
      "  8,16   1  2     0.000000829   697  Q   W 223490 + 8 [kjournald]\n"
      "  8,16   1  6     0.000020000   697  D   W 223490 + 8 [kjournald]\n"
      "  8,16   0  7     0.000120000     0  C   W 223490 + 8 [65531]\n",
      " fio 1234/1235 [001] 100.000123:   block:block_rq_issue: 8,0 R 4096 () 2048 + 8 [fio]\n"
      "  fio-1235 [001] ..... 100.000323: block_rq_complete: 8,0 R () 2048 + 8 be,0,4 [-5]\n",
  };
  std::string event{"\x07\x74\x61\x65", 4};
  event += std::string(24, '\x01') + std::string{"\x01\0\x01\0", 4} + std::string(14, '\0') +
           std::string{"\x02\0pp", 4};
  all.push_back(event + event);
  std::string vscsi(32, '\0');
  vscsi[12] = 0x2a;
  vscsi[15] = 1;
  all.push_back(vscsi + vscsi);
  std::string pages;
  for (char page = 1; page < 100; ++page) pages += std::string(3, '\0') + page;
  all.push_back(pages);
  all.push_back(std::string(16, '\0') + std::string(8, '\xff'));  // oracleGeneral
  all.push_back("RIGELTRC" + std::string(100, '\0'));
  all.push_back(std::string{"\x1f\x8b\x08\0\0\0", 6});
  return all;
}

class EveryImporter : public testing::TestWithParam<Importer> {
 protected:
  std::size_t read(std::string_view bytes) {
    return read_as(GetParam().name, std::as_bytes(std::span{bytes}));
  }
};

TEST_P(EveryImporter, ReadsOrRefusesASeedOfEveryFormat) {
  for (const std::string& seed : seeds()) read(seed);
}

TEST_P(EveryImporter, ReadsOrRefusesEveryTruncation) {
  for (const std::string& seed : seeds()) {
    for (std::size_t size = 0; size < seed.size(); ++size) {
      read(std::string_view{seed}.substr(0, size));
    }
  }
}

TEST_P(EveryImporter, ReadsOrRefusesMutations) {
  std::uint64_t state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  constexpr std::string_view kAwkward{"\0\n\r,;:.-+eE\"[]{} 09\xff", 20};
  for (const std::string& seed : seeds()) {
    for (int round = 0; round < 30; ++round) {
      std::string mutant = seed;
      for (std::size_t changes = 1 + random(4); changes != 0; --changes) {
        const std::size_t at = random(mutant.size());
        switch (random(4)) {
          case 0:
            mutant[at] = static_cast<char>(random(256));
            break;
          case 1:
            mutant[at] = kAwkward[random(kAwkward.size())];
            break;
          case 2:
            mutant.insert(at, mutant.substr(random(mutant.size()), 20));
            break;
          default:
            mutant.insert(at, 1 + random(30), '9');
            break;
        }
      }
      read(mutant);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryImporter,
                         testing::ValuesIn(importers().begin(), importers().end()),
                         [](const auto& tested) {
                           std::string name{tested.param.name};
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// A seed that its own importer does not read would test nothing.
TEST(ImporterSeeds, AreRecognisedAndRead) {
  auto all = seeds();
  all.resize(all.size() - 2);  // the .rgt and gzip seeds hold no record
  for (const std::string& seed : all) {
    EXPECT_NE(read_as({}, std::as_bytes(std::span{seed})), 0U) << seed;
  }
}

}  // namespace
}  // namespace rigel

#endif
