#include "server/net/accept/waiting_frames.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace aaren::accept {
namespace {

constexpr size_t kAllowed = 256;  // calls under way on one connection

std::string Frame(char type, const std::string& content, char stream = 1) {
  const auto byte = [&](int shift) { return static_cast<char>(content.size() >> shift & 0xff); };
  return std::string{byte(16), byte(8), byte(0), type, 0, 0, 0, 0, stream} + content;
}

// A piece from the middle of a frame on, as seen by a look.
std::string Many(const std::string& frames, size_t size = 64 << 10) {
  std::string bytes;
  while (bytes.size() < size + 5) bytes += frames;
  return bytes.substr(5, size);
}

const std::string kSomeHeaders = Frame(1, std::string(12, '\x82'));
const std::string kSomeReset = Frame(3, std::string("\0\0\0\x08", 4));

TEST(EndlessHeadersTest, AreThreeContinuationsInARowWhateverTheirLength) {
  for (const size_t length : {1, 100, 2000, 12'000, 16'000}) {
    EXPECT_TRUE(HasEndlessHeaders(Many(Frame(9, std::string(length, '\x82'))))) << length;
  }
}

TEST(EndlessHeadersTest, AreNotHeadersInTwoParts) {
  const std::string parts = Frame(1, std::string(9000, 'h')) + Frame(9, std::string(500, 'h'));
  EXPECT_FALSE(HasEndlessHeaders(Many(parts + Frame(0, std::string(30, 'm')))));
}

TEST(EndlessHeadersTest, AreNotMessagesThatLookLikeThem) {
  EXPECT_FALSE(HasEndlessHeaders(Many(Frame(0, std::string(16'000, '\x09')))));
}

// `count` small calls that wait to be read, without their ends.
std::string Calls(size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += kSomeHeaders + Frame(0, std::string(17, 'u'));
  return bytes;
}

TEST(TooManyCallsTest, AreMoreThanTwiceAsManyAsMayBeUnderWay) {
  EXPECT_FALSE(HasTooManyCalls(Calls(kAllowed)));
  EXPECT_TRUE(HasTooManyCalls(Calls(2 * kAllowed + 1)));
}

TEST(TooManyCallsTest, AreNotCallsThatWereGivenUp) {
  std::string bytes;
  for (size_t i = 0; i < 4 * kAllowed; ++i) bytes += kSomeHeaders + kSomeReset;
  EXPECT_FALSE(HasTooManyCalls(bytes));
}

TEST(TooManyCallsTest, AreNotMessages) {
  EXPECT_FALSE(HasTooManyCalls(Many(Frame(0, std::string(22, 't')))));
  EXPECT_FALSE(HasTooManyCalls(Many(Frame(0, std::string(16'000, '\0')))));
  EXPECT_FALSE(HasTooManyCalls(""));
}

TEST(TooManyCallsTest, AreNotRandomBytes) {
  std::mt19937 random(7);
  std::string bytes;
  for (int i = 0; i < 128 << 10; ++i) bytes += static_cast<char>(random());
  EXPECT_FALSE(HasTooManyCalls(bytes));
  EXPECT_FALSE(HasEndlessHeaders(bytes));
}

}  // namespace
}  // namespace aaren::accept
