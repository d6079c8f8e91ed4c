#include "server/operate/log/shown.h"

#include <gtest/gtest.h>

namespace aaren::log {
namespace {

TEST(ShownTest, ShortTextIsShownAsItIs) {
  EXPECT_EQ(Shown(""), "");
  EXPECT_EQ(Shown("a model: \"x\" 'y' \\"), "a model: \"x\" 'y' \\");
  EXPECT_EQ(Shown("Größe 温度 😀"), "Größe 温度 😀");
}

TEST(ShownTest, LongTextIsCutAndSaysSo) {
  EXPECT_EQ(Shown("abcdef", 6), "abcdef");
  EXPECT_EQ(Shown("abcdef", 5), "abcde...");
}

TEST(ShownTest, IsCutBetweenCharacters) {
  EXPECT_EQ(Shown("aéé", 4), "aé...");
  EXPECT_EQ(Shown("a😀b", 4), "a...");
  EXPECT_EQ(Shown("a😀b", 5), "a😀...");
}

TEST(ShownTest, WhatMovesTheCursorIsEscaped) {
  EXPECT_EQ(Shown("a\r\nb\x1b[2J\x7f"), "a\\r\\nb\\x1b[2J\\x7f");
  EXPECT_EQ(Shown("\u009b2J"), "\\xc2\\x9b2J");
  EXPECT_EQ(Shown(absl::string_view("a\0b", 3)), "a\\x00b");
}

TEST(ShownTest, BytesThatAreNoUtf8AreEscaped) {
  EXPECT_EQ(Shown("\xff"), "\\xff");
  EXPECT_EQ(Shown("\xc3"), "\\xc3");
  EXPECT_EQ(Shown("\xc3(é"), "\\xc3(é");
  EXPECT_EQ(Shown("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(Shown("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");  // overlong
  EXPECT_EQ(Shown("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(Shown("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

}  // namespace
}  // namespace aaren::log
