#include "server/accept/frame_flood.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace aaren::accept {
namespace {

std::string Frame(char type, const std::string& content, char stream = 1) {
  const auto byte = [&](int shift) { return static_cast<char>(content.size() >> shift & 0xff); };
  return std::string{byte(16), byte(8), byte(0), type, 0, 0, 0, 0, stream} + content;
}

// From the middle of a frame on, as a look finds it.
std::string Many(const std::string& frames, size_t size = 64 << 10) {
  std::string bytes;
  while (bytes.size() < size + 5) bytes += frames;
  return bytes.substr(5, size);
}

// Seen twice, and read between.
bool IsFrameFlood(const std::string& waiting) {
  FloodEvidence evidence;
  return evidence.Add({waiting, 0, false}) || evidence.Add({waiting, waiting.size(), false});
}

const std::string kSomeHeaders = Frame(1, std::string(12, '\x82'));
const std::string kSomeReset = Frame(3, std::string("\0\0\0\x08", 4));

TEST(FrameFloodTest, StreamsThatAreOpenedAndResetAreOne) { EXPECT_TRUE(IsFrameFlood(Many(kSomeHeaders + kSomeReset))); }

TEST(FrameFloodTest, StreamsThatAreResetBehindAMessageAreOne) {
  EXPECT_TRUE(IsFrameFlood(Many(kSomeHeaders + Frame(0, std::string(20, 'x')) + kSomeReset)));
}

TEST(FrameFloodTest, SettingsPingsAndWindowsAreOne) {
  EXPECT_TRUE(IsFrameFlood(Many(Frame(4, "", 0))));
  EXPECT_TRUE(IsFrameFlood(Many(Frame(6, std::string(8, 'p'), 0))));
  EXPECT_TRUE(IsFrameFlood(Many(Frame(8, std::string("\0\0\0\1", 4)))));
  EXPECT_TRUE(IsFrameFlood(Many(Frame(0, ""))));
}

TEST(FrameFloodTest, FramesOfUnknownTypesBetweenDoNotHideOne) {
  EXPECT_TRUE(IsFrameFlood(Many(kSomeHeaders + kSomeReset + Frame(0x20, ""))));
}

TEST(FrameFloodTest, LargeHeadersDoNotHideOne) {
  EXPECT_TRUE(IsFrameFlood(Many(Frame(1, std::string(200, '\x82')) + kSomeReset)));
}

TEST(FrameFloodTest, HeadersThatNeverEndAreOneWhateverTheirLength) {
  for (const size_t length : {1, 100, 2000, 12'000, 16'000}) {
    EXPECT_TRUE(IsFrameFlood(Many(Frame(9, std::string(length, '\x82'))))) << length;
    EXPECT_TRUE(HasEndlessHeaders(Many(Frame(9, std::string(length, '\x82'))))) << length;
  }
}

TEST(FrameFloodTest, HeadersInTwoPartsAreNone) {
  const std::string parts = Frame(1, std::string(9000, 'h')) + Frame(9, std::string(500, 'h'));
  EXPECT_FALSE(HasEndlessHeaders(Many(parts + Frame(0, std::string(30, 'm')))));
  EXPECT_FALSE(HasEndlessHeaders(Many(Frame(0, std::string(16'000, '\x09')))));
}

TEST(FrameFloodTest, SmallMessagesAreNone) { EXPECT_FALSE(IsFrameFlood(Many(Frame(0, std::string(22, 't'))))); }

// `count` small calls that wait to be read, without their ends.
std::string Calls(size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += kSomeHeaders + Frame(0, std::string(17, 'u'));
  return bytes;
}

TEST(FrameFloodTest, AsManyCallsAsMayBeUnderWayAreNone) {
  EXPECT_FALSE(HasTooManyCalls(Calls(kStreamsOfConnection)));
  EXPECT_FALSE(IsFrameFlood(Calls(kStreamsOfConnection)));
}

TEST(FrameFloodTest, TwiceAsManyCallsAsMayBeUnderWayAreOne) {
  EXPECT_TRUE(HasTooManyCalls(Calls(2 * kStreamsOfConnection + 1)));
  EXPECT_TRUE(IsFrameFlood(Calls(2 * kStreamsOfConnection + 1)));
}

TEST(FrameFloodTest, CallsThatWereGivenUpAreNotUnderWay) {
  std::string bytes;
  for (size_t i = 0; i < 4 * kStreamsOfConnection; ++i) bytes += kSomeHeaders + kSomeReset;
  EXPECT_FALSE(HasTooManyCalls(bytes));
}

// As a client sends them that is no faster than the server reads.
TEST(FrameFloodTest, CallsThatAreReadAndNotAnsweredCountTogether) {
  FloodEvidence evidence;
  const std::string some = Calls(kStreamsOfConnection);
  EXPECT_FALSE(evidence.Add({some, some.size(), false}));
  EXPECT_FALSE(evidence.Add({some, 2 * some.size(), false}));
  EXPECT_TRUE(evidence.Add({some, 4 * some.size(), false}));
}

TEST(FrameFloodTest, CallsThatAreAnsweredDoNotCountTogether) {
  FloodEvidence evidence;
  const std::string some = Calls(kStreamsOfConnection);
  for (size_t look = 1; look < 10; ++look) EXPECT_FALSE(evidence.Add({some, look * some.size(), true}));
}

TEST(FrameFloodTest, LargeMessagesAreNone) { EXPECT_FALSE(IsFrameFlood(Many(Frame(0, std::string(16'000, '\0'))))); }

// A client that gave up each call after a tenth of a second, while the server stood still for some.
TEST(FrameFloodTest, SomeCallsThatWereGivenUpAreNone) {
  std::string bytes;
  for (int i = 0; i < 80; ++i) bytes += Frame(1, std::string(200, '\x82')) + Frame(0, std::string(5, 'c')) + kSomeReset;
  EXPECT_FALSE(IsFrameFlood(bytes));
}

TEST(FrameFloodTest, OneThatComesAsFastAsItIsReadIsFoundInSeveralLooks) {
  const std::string little = Many(kSomeHeaders + kSomeReset, 2000);
  FloodEvidence evidence;
  EXPECT_FALSE(evidence.Add({little, 2000, false}));
  EXPECT_FALSE(evidence.Add({little, 4000, false}));
  EXPECT_TRUE(evidence.Add({little, 40'000, false}));
}

TEST(FrameFloodTest, WhatWaitsUnreadCountsOnce) {
  const std::string little = Many(kSomeHeaders + kSomeReset, 2000);
  FloodEvidence evidence;
  for (int look = 0; look < 100; ++look) EXPECT_FALSE(evidence.Add({little, 2000, false}));
}

// As when the shard that reads it is held by another connection.
TEST(FrameFloodTest, WhatIsNotReadIsNoneWhateverItIs) {
  const std::string resets = Many(kSomeHeaders + kSomeReset);
  FloodEvidence evidence;
  for (int look = 0; look < 100; ++look) EXPECT_FALSE(evidence.Add({resets, 0, false}));
}

// Bytes that come while a look is taken count as waiting, and not yet as come.
TEST(FrameFloodTest, ALookThatFindsLessReadThanTheOneBeforeFindsNoneRead) {
  const std::string pings = Many(Frame(6, std::string(8, '\0'), 0));
  FloodEvidence evidence;
  EXPECT_FALSE(evidence.Add({pings, 1000, false}));
  for (int look = 0; look < 100; ++look)
    EXPECT_FALSE(evidence.Add({pings, look % 2 == 0 ? 983u : 1000u, false})) << look;
}

TEST(FrameFloodTest, WhatIsHandledIsNoneWhateverItIs) {
  const std::string resets = Many(kSomeHeaders + kSomeReset);
  FloodEvidence evidence;
  for (uint64_t look = 0; look < 100; ++look) EXPECT_FALSE(evidence.Add({resets, look * 1000, true}));
}

TEST(FrameFloodTest, WhateverIsReadOnAndOnAndNeverHandledIsOne) {
  const std::string large = Many(Frame(4, std::string(16'380, '\x99'), 0));
  FloodEvidence evidence;
  int looks = 0;
  for (uint64_t look = 0; look < 100 && !evidence.Add({large, look * 5000, false}); ++look) ++looks;
  EXPECT_EQ(looks, 5);
}

TEST(FrameFloodTest, FewBytesAreNone) { EXPECT_FALSE(IsFrameFlood("")); }

TEST(FrameFloodTest, RandomBytesAreNone) {
  std::mt19937 random(1);
  std::string bytes(64 << 10, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  EXPECT_FALSE(IsFrameFlood(bytes));
}

}  // namespace
}  // namespace aaren::accept
