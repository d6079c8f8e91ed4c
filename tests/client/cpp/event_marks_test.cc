#include "aaren/client/event_marks.h"

#include <gtest/gtest.h>

#include <string>

namespace aaren::client {
namespace {

// Values of FNV-1a as its authors publish them.
TEST(EventMarksTest, NumbersAreFnv1a) {
  EXPECT_EQ(MarkNumber(""), 0x811c9dc5u);
  EXPECT_EQ(MarkNumber("a"), 0xe40c292cu);
  EXPECT_EQ(MarkNumber("foobar"), 0xbf9cf968u);
}

// Computed by another implementation.
TEST(EventMarksTest, BytesAboveAsciiCountAsUnsigned) { EXPECT_EQ(MarkNumber("\xff"), 0x7a0b824eu); }

// The hash of the text is 0xffffffff.
TEST(EventMarksTest, NoTextHasTheNumberOfNewMarks) { EXPECT_EQ(MarkNumber("prezece"), 0xfffffffeu); }

TEST(EventMarksTest, RepliesNameMarks) {
  MarkNames names;
  EXPECT_EQ(names.NameOf(*names.Add("log in")), "log in");
  EXPECT_EQ(names.NameOf(7), "#7");
  EXPECT_EQ(names.NameOf(kNewMark), "(new)");
}

TEST(EventMarksTest, ALongMarkIsRefused) {
  MarkNames names;
  EXPECT_TRUE(names.Add(std::string(64, 'x')).ok());
  EXPECT_EQ(names.Add(std::string(65, 'x')).status().message(), "a mark has 65 bytes; at most 64 are possible");
}

TEST(EventMarksTest, TheMarksUsedLastStay) {
  MarkNames names(/*capacity=*/128);
  for (int i = 0; i < 1'000'000; ++i) {
    ASSERT_TRUE(names.Add(std::to_string(i)).ok());
    ASSERT_TRUE(i % 50 != 0 || names.Add("often").ok());
  }
  EXPECT_EQ(names.NameOf(MarkNumber("often")), "often");
  EXPECT_EQ(names.NameOf(MarkNumber("999940")), "999940");
  EXPECT_EQ(names.NameOf(MarkNumber("7")), "#" + std::to_string(MarkNumber("7")));
}

}  // namespace
}  // namespace aaren::client
