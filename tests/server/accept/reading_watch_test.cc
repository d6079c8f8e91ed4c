#include "server/accept/reading_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/accept/loopback.h"

namespace aaren::accept {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kMs = 1'000'000;
constexpr size_t kPiece = 16 << 10;

// Two connections. More of the first waits than is ever read.
class ReadingWatchTest : public testing::Test {
 protected:
  ReadingWatchTest() {
    table_.Add("first", first_.own(), 0);
    table_.Add("second", second_.own(), 0);
    for (const char* peer : {"first", "second"}) table_.connections().at(peer).heard->NoteHandled(1);
    first_.Send(6 * kPiece);
    Look(0);
  }

  // Two milliseconds later, of which gRPC kept a thread for so many.
  std::vector<std::string> Look(int64_t read_ms) {
    now_ns_ += 2 * kMs;
    kept_ns_ += read_ms * kMs;
    return watch_.Look(table_, kept_ns_, now_ns_);
  }
  // Looks at which a piece of this connection has been read each time.
  void LookWhileReading(const Loopback& connection, int looks, size_t bytes = kPiece, int64_t read_ms = 2) {
    for (int i = 0; i < looks; ++i) {
      connection.Read(bytes);
      EXPECT_THAT(Look(read_ms), IsEmpty());
    }
  }
  Heard& heard() { return *table_.connections().at("first").heard; }

  Loopback first_, second_;
  ConnectionTable table_{/*shards=*/1};
  ReadingWatch watch_;
  int64_t now_ns_ = 1000 * kMs, kept_ns_ = 0;
};

TEST_F(ReadingWatchTest, HoldsOneThatIsReadAtThreeLooksWhileTheShardDoesLittleElse) {
  LookWhileReading(first_, 2);
  EXPECT_EQ(watch_.holds(), 0u);
  LookWhileReading(first_, 1);
  EXPECT_EQ(watch_.holds(), 1u);
  first_.Read(3 * kPiece);
  first_.Send(1);
  EXPECT_FALSE(first_.Waits());
}

TEST_F(ReadingWatchTest, HoldsOneOfWhomNothingWasEverHandledAtTheSecondLook) {
  table_.Add("first", first_.own(), 0);
  LookWhileReading(first_, 2);
  EXPECT_EQ(watch_.holds(), 1u);
}

TEST_F(ReadingWatchTest, TellsOfTheFifthOfAHostThatWouldBeHeldBeforeAnythingWasHandled) {
  for (int i = 1; i <= 5; ++i) {
    const Loopback loopback;
    const std::string peer = absl::StrCat("10.0.0.1:", i);
    table_.Add(peer, loopback.own(), 0);
    loopback.Send(4 * kPiece);
    Look(0);
    LookWhileReading(loopback, 1);
    loopback.Read(kPiece);
    EXPECT_EQ(Look(2), i < 5 ? std::vector<std::string>{} : std::vector<std::string>{peer});
  }
  EXPECT_EQ(watch_.holds(), 4u);
}

TEST_F(ReadingWatchTest, LeavesOneAloneWhileTheShardDoesOtherThings) {
  LookWhileReading(first_, 5, kPiece, /*read_ms=*/0);
  EXPECT_EQ(watch_.holds(), 0u);
}

TEST_F(ReadingWatchTest, LeavesOneAloneThatWaitsBehindAnother) {
  second_.Send(1);
  LookWhileReading(first_, 5);
  second_.Read(1);
  second_.Send(1);
  EXPECT_TRUE(second_.Comes());
}

TEST_F(ReadingWatchTest, LeavesOneAloneOfWhichLittleIsRead) {
  LookWhileReading(first_, 6, /*bytes=*/100);
  EXPECT_EQ(watch_.holds(), 0u);
}

TEST_F(ReadingWatchTest, LeavesOneAloneOfWhichNothingWaits) {
  second_.Send(3 * kPiece);
  second_.Read(3 * kPiece);
  for (int i = 0; i < 4; ++i) EXPECT_THAT(Look(2), IsEmpty());
  EXPECT_EQ(watch_.holds(), 0u);
}

TEST_F(ReadingWatchTest, FindsOneThatBeginsWhileAnotherIsRead) {
  LookWhileReading(first_, 3);
  second_.Send(6 * kPiece);
  LookWhileReading(second_, 4);
  EXPECT_EQ(watch_.holds(), 2u);
}

TEST_F(ReadingWatchTest, WhatAHeldConnectionSentComesWhenItIsLetGo) {
  LookWhileReading(first_, 3);
  first_.Read(3 * kPiece);
  first_.Send(1);
  for (int i = 0; i < 50; ++i) Look(0);
  EXPECT_FALSE(watch_.watching());
  EXPECT_TRUE(first_.Comes());
}

TEST_F(ReadingWatchTest, TellsOfAHeldConnectionWithMoreCallsThanMayBeUnderWay) {
  LookWhileReading(first_, 3);
  for (int i = 0; i < 512; ++i) heard().NoteBegun(1);
  EXPECT_THAT(Look(2), IsEmpty());
  heard().NoteBegun(1);
  EXPECT_THAT(Look(2), ElementsAre("first"));
}

TEST_F(ReadingWatchTest, GivesThoseThatAreHeldOfAHost) {
  table_.Add("10.0.0.1:1", first_.own(), 0);
  LookWhileReading(first_, 2);
  EXPECT_THAT(watch_.TakeHeldOf("10.0.0.2", table_), IsEmpty());
  EXPECT_TRUE(watch_.watching());
  EXPECT_THAT(watch_.TakeHeldOf("10.0.0.1", table_), ElementsAre("10.0.0.1:1"));
  EXPECT_THAT(watch_.TakeHeldOf("10.0.0.1", table_), IsEmpty());
}

TEST_F(ReadingWatchTest, TellsOfOneOfWhichNothingIsHandledUntilItWouldBeHeldAgain) {
  LookWhileReading(first_, 3);
  for (int i = 0; i < 50; ++i) Look(0);
  LookWhileReading(first_, 2, 100);
  first_.Send(kPiece);
  first_.Read(kPiece);
  EXPECT_THAT(Look(2), ElementsAre("first"));
}

TEST_F(ReadingWatchTest, RemembersWhenAShardDidLittleElse) {
  LookWhileReading(first_, 1);
  const int64_t then = now_ns_;
  Look(0);
  EXPECT_TRUE(watch_.ReadSince(then));
  EXPECT_FALSE(watch_.ReadSince(then + 1));
}

}  // namespace
}  // namespace aaren::accept
