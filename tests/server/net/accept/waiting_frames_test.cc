#include "server/net/accept/waiting_frames.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace aaren::accept {
namespace {

constexpr size_t kAllowed = 256;  // calls under way on a connection

std::string Frame(char type, const std::string& content, size_t stream = 1) {
  const auto byte = [](size_t number, int shift) { return static_cast<char>(number >> shift & 0xff); };
  std::string frame;
  for (const int shift : {16, 8, 0}) frame += byte(content.size(), shift);
  frame += {type, 0};
  for (const int shift : {24, 16, 8, 0}) frame += byte(stream, shift);
  return frame + content;
}

// A piece from the middle of a frame on, as seen by a look.
std::string Many(const std::string& frames, size_t size = 64 << 10) {
  std::string bytes;
  while (bytes.size() < size + 5) bytes += frames;
  return bytes.substr(5, size);
}

TEST(EndlessHeadersTest, AreThreeContinuationsInARowWhateverTheirLength) {
  for (const size_t length : {1, 100, 2000, 12'000, 16'000}) {
    EXPECT_TRUE(BreakHttp2(Many(Frame(9, std::string(length, '\x82'))))) << length;
  }
}

TEST(EndlessHeadersTest, AreNotHeadersInTwoParts) {
  const std::string parts = Frame(1, std::string(9000, 'h')) + Frame(9, std::string(500, 'h'));
  EXPECT_FALSE(BreakHttp2(Many(parts + Frame(0, std::string(30, 'm')))));
}

TEST(EndlessHeadersTest, AreNotMessagesThatLookLikeThem) {
  EXPECT_FALSE(BreakHttp2(Many(Frame(0, std::string(16'000, '\x09')))));
}

TEST(EndlessHeadersTest, AreOfOneStream) {
  std::string other;
  for (size_t stream = 1; other.size() < 64 << 10; stream += 2) other += Frame(9, "h", stream);
  EXPECT_FALSE(BreakHttp2(other));
}

TEST(EndlessHeadersTest, AreNotFollowedByOtherFrames) {
  const std::string row = Frame(9, "h") + Frame(9, "h") + Frame(9, "h");
  EXPECT_TRUE(BreakHttp2(Frame(0, "m") + row));
  EXPECT_FALSE(BreakHttp2(row + Frame(0, "m")));
}

TEST(EndlessHeadersTest, AreNotFollowedByTheirEnd) {
  std::string end = Frame(9, "h");
  end[4] = 4;
  EXPECT_FALSE(BreakHttp2(Frame(9, "h") + Frame(9, "h") + Frame(9, "h") + end));
}

TEST(EndlessHeadersTest, AreNotMessagesOfZerosAndNines) {
  std::mt19937 random(7);
  for (int i = 0; i < 100; ++i) {
    std::string bytes(64 << 10, '\0');
    for (char& byte : bytes) byte = random() % 2 == 0 ? '\0' : '\x09';
    EXPECT_FALSE(BreakHttp2(bytes));
  }
}

// `count` small unread calls, from the middle of a message on, with or without resets.
std::string Calls(size_t count, bool reset = false) {
  std::string bytes(100, '\0');
  for (size_t stream = 1; stream < 2 * count; stream += 2) {
    bytes += Frame(1, std::string(12, '\x82'), stream) + Frame(0, std::string(17, 'u'), stream);
    if (reset) bytes += Frame(3, std::string("\0\0\0\x08", 4), stream);
  }
  return bytes;
}

TEST(TooManyCallsTest, AreMoreThanTwiceAsManyAsMayBeUnderWay) {
  EXPECT_FALSE(BreakHttp2(Calls(2 * kAllowed)));
  EXPECT_TRUE(BreakHttp2(Calls(2 * kAllowed + 1)));
}

TEST(TooManyCallsTest, AreNotCallsThatWereGivenUp) { EXPECT_FALSE(BreakHttp2(Calls(4 * kAllowed, /*reset=*/true))); }

TEST(TooManyCallsTest, AreNotMessages) {
  EXPECT_FALSE(BreakHttp2(Many(Frame(0, std::string(22, 't')))));
  EXPECT_FALSE(BreakHttp2(Many(Frame(0, std::string(16'000, '\0')))));
  EXPECT_FALSE(BreakHttp2(""));
}

// A connection's calls have ascending numbers.
TEST(TooManyCallsTest, AreNotMessagesThatLookLikeACallAgainAndAgain) {
  EXPECT_FALSE(BreakHttp2(Many(Frame(1, std::string(12, '\x82')))));
}

TEST(BreakHttp2Test, RandomBytesAreNothing) {
  std::mt19937 random(7);
  std::string bytes;
  for (int i = 0; i < 128 << 10; ++i) bytes += static_cast<char>(random());
  EXPECT_FALSE(BreakHttp2(bytes));
}

}  // namespace
}  // namespace aaren::accept
