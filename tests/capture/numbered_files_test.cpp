#include "capture/numbered_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/scratch_folder.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

class NumberedFilesTest : public testing::Test {
 protected:
  void make(const std::string& name) const { std::ofstream{folder_.path() / name} << "x"; }
  [[nodiscard]] std::string in(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator{folder_.path()}) {
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  ScratchFolder folder_;
};

TEST_F(NumberedFilesTest, TheNumberComesBeforeTheExtension) {
  NumberedFiles files{in("db.rgt"), 0};
  EXPECT_EQ(files.next(), in("db-000001.rgt"));
  EXPECT_EQ(files.next(), in("db-000002.rgt"));
  EXPECT_EQ((NumberedFiles{in("plain"), 0}).next(), in("plain-000001"));
}

TEST_F(NumberedFilesTest, ANewRunGoesOnAfterTheFilesThatAreThere) {
  make("db-000041.rgt");
  make("db-000007.rgt");
  make("db-000099.csv");
  make("dbx-000100.rgt");
  make("db-00010x.rgt");
  EXPECT_EQ((NumberedFiles{in("db.rgt"), 0}).next(), in("db-000042.rgt"));
}

TEST_F(NumberedFilesTest, TheNewestAreKeptAndNothingElseIsTouched) {
  for (const char* name : {"db-000001.rgt", "db-000002.rgt", "db-000010.rgt", "db-1000000.rgt",
                           "db.rgt", "db-old.rgt", "other-000001.rgt"}) {
    make(name);
  }
  NumberedFiles{in("db.rgt"), 2}.remove_old();
  EXPECT_EQ(names(), (std::vector<std::string>{"db-000010.rgt", "db-1000000.rgt", "db-old.rgt",
                                               "db.rgt", "other-000001.rgt"}));
  NumberedFiles{in("db.rgt"), 0}.remove_old();
  EXPECT_EQ(names().size(), 5U);
}

TEST_F(NumberedFilesTest, AFolderThatIsNotThereIsNamed) {
  try {
    const NumberedFiles files{in("no/db.rgt"), 0};
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(std::string{error.what()}.find("/no: cannot list"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace rigel
