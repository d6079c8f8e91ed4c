#include "client/cli/terminal/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace aaren::cli {
namespace {

template <typename Value>
std::string Json(const Value& value) {
  std::string out;
  AppendJson(value, out);
  return out;
}

TEST(JsonTest, FloatsReadBackToTheSameBits) {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const uint32_t bits = random();
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const float read = std::strtof(Json(value).c_str(), nullptr);
    ASSERT_EQ(std::memcmp(&read, &value, sizeof value), 0) << Json(value);
  }
}

TEST(JsonTest, FloatsTakeNoMoreDigitsThanTheyNeed) {
  EXPECT_EQ(Json(0.1f), "0.1");
  EXPECT_EQ(Json(5.827f), "5.827");
  EXPECT_EQ(Json(-0.0f), "-0");
}

std::string JsonSum(double offset, float relative) {
  std::string out;
  AppendJsonSum(offset, relative, out);
  return out;
}

TEST(JsonTest, SumsHaveTheDigitsThatTheFloatTells) {
  EXPECT_EQ(JsonSum(21.3, -2.6f), "18.7");
  EXPECT_EQ(JsonSum(123456789, 3), "123456792");
  EXPECT_EQ(JsonSum(1e12, 0.5f), "1000000000000.5");
  EXPECT_EQ(JsonSum(0, 0.1f), "0.1");
  EXPECT_EQ(JsonSum(21.3, 0), "21.3");
  EXPECT_EQ(JsonSum(0.1, -0.1f), "0");
  EXPECT_EQ(JsonSum(5, std::nanf("")), "null");
}

TEST(JsonTest, SumsReadBackToTheSameFloat) {
  std::mt19937 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const double offset = std::ldexp(static_cast<double>(random()) - 0x1p31, static_cast<int>(random() % 40) - 30);
    const auto relative = static_cast<float>(std::ldexp(static_cast<double>(random()) - 0x1p31, -28));
    const double read = std::strtod(JsonSum(offset, relative).c_str(), nullptr);
    const double rounding = 0x1p-52 * std::abs(offset);  // the rounding of the sum, a double
    ASSERT_NEAR(read - offset, relative, 0x1p-24 * std::abs(relative) + rounding) << JsonSum(offset, relative);
  }
}

TEST(JsonTest, WhatIsNotFiniteIsNull) {
  EXPECT_EQ(Json(std::nanf("")), "null");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonTest, TextIsEscaped) { EXPECT_EQ(Json("a\"b\\c\n"), "\"a\\\"b\\\\c\\n\""); }

TEST(JsonTest, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(ToUtf8("W/m\xB2"), "W/m\xEF\xBF\xBD");
  EXPECT_EQ(ToUtf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong
  EXPECT_EQ(ToUtf8("\xED\xA0\x80").size(), 9u);               // a surrogate
  EXPECT_EQ(ToUtf8("\xE2\x82"), "\xEF\xBF\xBD");              // cut short
  EXPECT_EQ(ToUtf8("\xF4\x90\x80\x80").size(), 12u);          // beyond U+10FFFF
}

TEST(JsonTest, ValidUtf8StaysAsItIs) {
  const std::string text = "ä € 𝄞 \x7F";
  EXPECT_EQ(ToUtf8(text), text);
}

TEST(JsonTest, RandomBytesAlwaysMakeValidJson) {
  std::mt19937 random(2);
  for (int i = 0; i < 2'000; ++i) {
    std::string bytes(random() % 12, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 4 == 0 ? random() % 128 : 0x80 + random() % 128);
    ASSERT_FALSE(nlohmann::json::parse(Json(bytes), nullptr, false).is_discarded());
  }
}

TEST(JsonTest, ObjectKeepsTheOrderOfItsKeys) {
  std::string out;
  JsonObject object(out);
  object.Add("b", 1).Add("a", true).Add("c", std::optional<int>()).Key("d");
  JsonObject(out).Add("e", "f").Close();
  object.Close();
  EXPECT_EQ(out, R"({"b":1,"a":true,"c":null,"d":{"e":"f"}})");
}

}  // namespace
}  // namespace aaren::cli
