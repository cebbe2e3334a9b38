#include "replay/lun_list.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/scratch_folder.hpp"
#include "traces/error.hpp"

namespace rigel {
namespace {

using Names = std::vector<std::string>;

std::string user_file(const char* name) {
  return std::string{RIGEL_TEST_DATA} + "/user-files/" + name;
}

std::string message_for(const std::string& text) {
  const ScratchFolder folder;
  const std::string path = folder.file("list.lun");
  std::ofstream{path} << text;
  std::string message;
  try {
    static_cast<void>(read_lun_list(path));
  } catch (const Error& error) {
    message = error.what();
  }
  return message;
}

TEST(LunList, BlanksRemarksAndWhiteSpaceDoNotMatter) {
  EXPECT_EQ(read_lun_list(user_file("orion-lun-odd.lun")),
            (Names{"/dev/raw/raw1", "/dev/VolGroup00/LogVol00"}));
}

TEST(LunList, DosLineEndsDoNotMatter) {
  EXPECT_EQ(read_lun_list(user_file("orion-lun-crlf.lun")),
            (Names{"/dev/mapper/asm01", "/dev/mapper/asm02"}));
}

TEST(LunList, AListThatIsOfNoUseIsRefusedWithItsName) {
  EXPECT_NE(message_for("# nothing\n\n").find("names no LUN"), std::string::npos);
  EXPECT_NE(message_for("/dev/a\n/dev/b\n/dev/a\n").find("line 3"), std::string::npos);
  EXPECT_THROW(static_cast<void>(read_lun_list("/nonexistent/x.lun")), Error);
}

}  // namespace
}  // namespace rigel
