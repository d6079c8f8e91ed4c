#include "server/accept/connection_table.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/server/accept/loopback.h"

namespace aaren::accept {
namespace {

class ConnectionTableTest : public testing::Test {
 protected:
  ConnectionTableTest() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {}
  ~ConnectionTableTest() override { close(socket_); }

  // Connections of a host, from ports 1 to `count`, which are all one socket.
  void Add(const std::string& host, int count) {
    for (int port = 1; port <= count; ++port) table_.Add(absl::StrCat(host, ":", port), socket_, 0);
  }

  const int socket_;
  absl::Time now_ = absl::UnixEpoch();
  ConnectionTable table_{/*shards=*/2};
};

TEST_F(ConnectionTableTest, NewestOfTheHostThatHasMostGivesWay) {
  Add("10.0.0.1", 3);
  Add("10.0.0.2", 5);
  Add("10.0.0.3", 4);
  EXPECT_EQ(table_.WhoGivesWayTo("10.0.0.4", now_), "10.0.0.2:5");
}

TEST_F(ConnectionTableTest, EndedConnectionsAreForgottenWithTheirPlaceInAShard) {
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  table_.Add("10.0.0.1:1", socket_, 0);
  table_.Add("10.0.0.1:2", other, 1);
  EXPECT_EQ(table_.of_shards(), (std::vector<size_t>{1, 1}));
  close(other);
  table_.RemoveEnded(2, [](const std::string&, Connection&) {});
  EXPECT_EQ(table_.size(), 1u);
  EXPECT_EQ(table_.of_shards(), (std::vector<size_t>{1, 0}));
}

TEST_F(ConnectionTableTest, LooksAtSoManyAndGoesRoundAll) {
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  for (const char* peer : {"10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:3"}) table_.Add(peer, other, 0);
  Add("10.0.0.2", 2);
  close(other);
  for (const size_t left : {3u, 2u, 2u, 2u}) {
    table_.RemoveEnded(2, [](const std::string&, Connection&) {});
    EXPECT_EQ(table_.size(), left);
  }
  Add("10.0.0.3", 1);
  table_.RemoveEnded(100, [](const std::string&, Connection&) {});
  EXPECT_EQ(table_.size(), 3u);
}

TEST_F(ConnectionTableTest, OneOfTheSameNameTakesThePlaceOfTheOneBefore) {
  Add("10.0.0.1", 1);
  Add("10.0.0.1", 1);
  EXPECT_EQ(table_.size(), 1u);
}

class BroughtTest : public testing::Test {
 protected:
  BroughtTest() { table_.Add("peer", loopback_.own(), 0); }

  Connection& connection() { return table_.connections().at("peer"); }
  void Send(size_t bytes) const { loopback_.Send(bytes); }
  void Read(size_t bytes) const { loopback_.Read(bytes); }
  void Bring(size_t bytes) {
    for (size_t left = bytes; left > 0; left -= std::min(left, kPiece)) {
      Send(std::min(left, kPiece));
      Read(std::min(left, kPiece));
    }
    Age(last_);
  }
  void Age(double seconds) {
    last_ = seconds;
    connection().Age(absl::UnixEpoch() + absl::Seconds(seconds));
  }

  double last_ = 0;
  static constexpr size_t kPiece = 1 << 15;  // for which there is room in the sockets
  Loopback loopback_;
  ConnectionTable table_{/*shards=*/1};
};

TEST_F(BroughtTest, OfLateCountsHalfAfterASecond) {
  Send(1000);
  Read(1000);
  Age(0);
  Age(1);
  EXPECT_EQ(connection().TakeBrought(), 500u);
}

TEST_F(BroughtTest, WhatWaitsIsOfLateOnce) {
  Send(1000);
  for (int i = 0; i < 10; ++i) Age(0);
  EXPECT_EQ(connection().TakeBrought(), 1000u);
}

TEST_F(BroughtTest, WhatWaitsCountsEachTimeThatItIsTaken) {
  Send(1000);
  Age(0);
  connection().TakeBrought();
  EXPECT_EQ(connection().TakeBrought(), 1000u);
  Read(1000);
  connection().TakeBrought();
  EXPECT_EQ(connection().TakeBrought(), 0u);
}

TEST_F(BroughtTest, WhatWasTakenIsNotOfLateAgain) {
  Send(1000);
  Read(1000);
  EXPECT_EQ(connection().TakeBrought(), 1000u);
  Age(0);
  EXPECT_EQ(connection().TakeBrought(), 0u);
}

TEST_F(BroughtTest, ManyBytesOfWhichNothingIsEverHandledAreNothing) {
  Bring(Connection::kMostFirst);
  EXPECT_FALSE(connection().BringsNothing(0));
  Bring(1);
  EXPECT_FALSE(connection().BringsNothing(0));  // many streams may begin at once
  Bring(1);
  EXPECT_TRUE(connection().BringsNothing(0));
}

TEST_F(BroughtTest, OfThemHalfIsForgottenAfterASecond) {
  Bring(Connection::kMostFirst);
  Age(1);
  Bring(Connection::kMostFirst / 2);
  for (int i = 0; i < 5; ++i) Age(last_);
  EXPECT_FALSE(connection().BringsNothing(0));
}

TEST_F(BroughtTest, BytesThatWaitToBeReadAreNotInVain) {
  connection().heard->NoteBegun(1);
  Bring(1000);  // in which a call began
  Bring(Connection::kBesideMessage);
  Send(1000);
  Age(last_);
  EXPECT_FALSE(connection().BringsNothing(0));
}

TEST_F(BroughtTest, OfWhatIsReadInVainHalfIsForgottenAfterTenSeconds) {
  connection().heard->NoteBegun(1);
  Bring(1000);
  Bring(Connection::kBesideMessage);
  Age(10);
  Bring(Connection::kBesideMessage / 2);
  EXPECT_FALSE(connection().BringsNothing(0));
  Bring(1);
  EXPECT_TRUE(connection().BringsNothing(0));
}

TEST_F(BroughtTest, OneOfWhichACallHasBegunMayBringTheGreatestMessage) {
  constexpr uint64_t kMessage = 3 << 20;
  connection().heard->NoteBegun(1);
  Bring(1000);  // in which it began
  Bring(2 * kMessage + Connection::kBesideMessage);
  EXPECT_FALSE(connection().BringsNothing(kMessage));
  Bring(1);
  EXPECT_TRUE(connection().BringsNothing(kMessage));
}

// A connection that is ended is looked at again before gRPC lets go of it.
TEST_F(BroughtTest, WhatWasTakenCountsForNothingMore) {
  connection().heard->NoteBegun(1);
  Bring(1000);
  Bring(Connection::kBesideMessage + 1);
  ASSERT_TRUE(connection().BringsNothing(0));
  connection().TakeBrought();
  Age(last_);
  EXPECT_FALSE(connection().BringsNothing(0));
}

TEST_F(BroughtTest, OneThatIsHeardMayBringAsMuchAgain) {
  Bring(2 * Connection::kMostFirst);
  connection().heard->NoteHandled(1);
  Bring(2 * Connection::kMostFirst);
  Bring(2 * Connection::kMostFirst);
  EXPECT_FALSE(connection().BringsNothing(0));
}

TEST_F(BroughtTest, AClockThatGoesBackMakesNothingMore) {
  Send(1000);
  Read(1000);
  Age(10);
  Age(0);
  EXPECT_EQ(connection().TakeBrought(), 1000u);
}

TEST_F(BroughtTest, NothingComesOfOneThatIsHeld) {
  ASSERT_TRUE(connection().Hold());
  Send(1);
  EXPECT_FALSE(loopback_.Waits());
}

TEST_F(BroughtTest, WhatOneSaidBeforeItWasHeldIsThere) {
  Send(1);
  ASSERT_TRUE(connection().Hold());
  EXPECT_TRUE(loopback_.Waits());
}

TEST_F(BroughtTest, WhatOneSaidWhileItWasHeldComesAfterwards) {
  ASSERT_TRUE(connection().Hold());
  Send(1);
  connection().Release();
  EXPECT_TRUE(loopback_.Comes());
}

TEST_F(BroughtTest, OneThatHasEndedCannotBeHeld) {
  connection().cookie = 0;
  EXPECT_FALSE(connection().Hold());
}

}  // namespace
}  // namespace aaren::accept
