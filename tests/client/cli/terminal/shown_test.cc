#include "client/cli/terminal/shown.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace aaren::cli {
namespace {

TEST(ShownTest, WhatMovesTheCursorIsEscaped) {
  EXPECT_EQ(Shown("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(Shown(std::string("\0\a\b\t\n\r\x7F", 7)), "\\x00\\x07\\x08\\x09\\x0a\\x0d\\x7f");
  EXPECT_EQ(Shown("\xC2\x9B"
                  "31m"),
            "\\x9b31m");  // C1: ESC [ as a single character
  EXPECT_EQ(Shown("\x9B"
                  "31m"),
            "\xEF\xBF\xBD"
            "31m");  // and as a byte that is no UTF-8
}

TEST(ShownTest, WhatNobodySeesIsEscaped) {
  EXPECT_EQ(Shown("abc\u202Ecba"), "abc\\u202ecba");
  for (const char* text : {"\u202A", "\u202D", "\u2066", "\u2069", "\u200B", "\u200D", "\u200F", "\uFEFF", "\u2028",
                           "\u2029", "\u00AD", "\u061C", "\u2060", "\u3164"}) {
    EXPECT_EQ(Shown(text)[0], '\\') << text;
  }
  EXPECT_EQ(Shown("\U000E0041"), "\\U000e0041");  // a tag
}

TEST(ShownTest, WhatPeopleWriteStays) {
  for (const char* text : {"", "load, °C", "naïve", "温度", "Größe \\ 5 €", "𝄞", "e\u0301", "👍"}) {
    EXPECT_EQ(Shown(text), text);
  }
}

TEST(ShownTest, WidthsAreColumns) {
  EXPECT_EQ(Columns("load"), 4u);
  EXPECT_EQ(Columns("温度"), 4u);
  EXPECT_EQ(Columns("e\u0301"), 1u);
  EXPECT_EQ(Columns("👍"), 2u);
  EXPECT_EQ(Columns(Padded("温度", 8)), 8u);
  EXPECT_EQ(Padded("a\x1b", 8), "a\\x1b   ");
  EXPECT_EQ(Padded("too long", 3), "too long");
}

TEST(ShownTest, CutsBetweenCharacters) {
  EXPECT_EQ(Cut("温度", 3), "温");
  EXPECT_EQ(Cut("温度", 4), "温度");
  EXPECT_EQ(Cut("größe", 4), "größ");
  EXPECT_EQ(Cut("abc", 0), "");
}

TEST(ShownTest, EscapedJsonIsTheSameJson) {
  const std::string json = "{\"a\u202E\":\"\xC2\x9B\x7F\U000E0041\"}";
  EXPECT_EQ(EscapedJson(json), "{\"a\\u202e\":\"\\u009b\\u007f\\udb40\\udc41\"}");
  EXPECT_EQ(nlohmann::json::parse(EscapedJson(json)), nlohmann::json::parse(json));
}

TEST(ShownTest, RandomBytesLeaveNothingThatATerminalObeys) {
  std::mt19937 random(3);
  for (int i = 0; i < 2'000; ++i) {
    std::string bytes(random() % 12, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 3 == 0 ? random() % 32 : random() % 256);
    const std::string shown = Shown(bytes);
    for (size_t at = 0; at < shown.size(); ++at) {
      const auto byte = static_cast<uint8_t>(shown[at]);
      ASSERT_TRUE(byte >= 0x20 && byte != 0x7F);
      ASSERT_FALSE(byte == 0xC2 && static_cast<uint8_t>(shown[at + 1]) < 0xA0);
    }
    EXPECT_EQ(Shown(shown), shown);
  }
}

}  // namespace
}  // namespace aaren::cli
