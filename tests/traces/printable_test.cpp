#include "traces/printable.hpp"

#include <gtest/gtest.h>

namespace rigel {
namespace {

TEST(Printable, TextOfAnyLanguageStays) {
  // The shortest and the longest of each length: RFC 3629, section 3.
  for (const char* text : {"", "sda 1 ~", "h\u00f6st", "\u00a0", "\u07ff", "\u0800", "\uffff",
                           "\U00010000", "\U0010ffff", "\u6f22\u5b57"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, NothingReachesTheTerminalAsACommand) {
  EXPECT_EQ(printable("\x1b[31mred\x07\r\n\t\x7f"), "?[31mred?????");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "??31m");  // the one-character form of ESC [
}

TEST(Printable, BytesThatAreNoCharacterAreMarked) {
  EXPECT_EQ(printable("a\xff\xfe"), "a??");
  EXPECT_EQ(printable("\xc0\xaf"), "??");            // '/' in two bytes
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");       // half of a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");  // beyond U+10FFFF
  EXPECT_EQ(printable("\xe6\xbc"), "??");            // cut
}

}  // namespace
}  // namespace rigel
