#include "server/net/accept/connection_table.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/server/machine/socket/loopback.h"

namespace aaren::accept {
namespace {

class ConnectionTableTest : public testing::Test {
 protected:
  ConnectionTableTest() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {}
  ~ConnectionTableTest() override { close(socket_); }

  // Adds connections of a host, all of the same socket.
  void Add(const std::string& host, int count) {
    for (int i = 0; i < count; ++i) table_.Add(socket_, host, 0);
  }

  const int socket_;
  absl::Time now_ = absl::UnixEpoch();
  ConnectionTable table_{/*shards=*/2};
};

TEST_F(ConnectionTableTest, CountsTheConnectionsOfAHost) {
  Add("10.0.0.1", 3);
  Add("10.0.0.2", 5);
  EXPECT_EQ(table_.OfHost("10.0.0.1"), 3u);
  EXPECT_EQ(table_.OfHost("10.0.0.3"), 0u);
}

TEST_F(ConnectionTableTest, EndedConnectionsAreForgottenWithTheirPlaceInAShard) {
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  table_.Add(socket_, "10.0.0.1", 0);
  table_.Add(other, "10.0.0.1", 1);
  EXPECT_EQ(table_.of_shards(), (std::vector<size_t>{1, 1}));
  close(other);
  table_.RemoveEnded(2, [](Connection&) {});
  EXPECT_EQ(table_.size(), 1u);
  EXPECT_EQ(table_.of_shards(), (std::vector<size_t>{1, 0}));
}

TEST_F(ConnectionTableTest, LooksAtSoManyAndGoesRoundAll) {
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  for (int i = 0; i < 3; ++i) table_.Add(other, "10.0.0.1", 0);
  Add("10.0.0.2", 2);
  close(other);
  for (const size_t left : {3u, 2u, 2u, 2u}) {
    table_.RemoveEnded(2, [](Connection&) {});
    EXPECT_EQ(table_.size(), left);
  }
  Add("10.0.0.3", 1);
  table_.RemoveEnded(100, [](Connection&) {});
  EXPECT_EQ(table_.size(), 3u);
}

TEST(SentOfLateTest, CountsTheLastTwoToFourSeconds) {
  SentOfLate sent;
  const absl::Time begin = absl::UnixEpoch();
  sent.Look(1000, begin);
  EXPECT_EQ(sent.Of(1500), 1500u);
  sent.Look(1500, begin + absl::Seconds(1));  // too soon
  sent.Look(2000, begin + absl::Seconds(2));
  EXPECT_EQ(sent.Of(2500), 1500u);
  sent.Look(2500, begin + absl::Seconds(4));
  sent.Look(2500, begin + absl::Seconds(6));
  EXPECT_EQ(sent.Of(2500), 0u);
}

TEST(ConnectionTest, GreatestSendersBringAtLeastAnEighthOfTheGreatest) {
  const sockets::Loopback honest, second, flood;
  ConnectionTable table(/*shards=*/1);
  table.Add(honest.own(), "honest", 0);
  table.Add(second.own(), "second", 0);
  table.Add(flood.own(), "flood", 0);
  const auto send = [](const sockets::Loopback& from, int times) {
    for (int i = 0; i < times; ++i) {
      from.Send(32 << 10);
      from.Read(32 << 10);
    }
  };
  send(honest, 3);
  send(second, 4);
  send(flood, 32);
  const std::vector<const Connection*> greatest = table.GreatestSenders(16);
  ASSERT_EQ(greatest.size(), 2u);
  EXPECT_EQ(greatest[0]->host, "flood");
  EXPECT_EQ(greatest[1]->host, "second");
}

TEST(ConnectionTest, GreatestSendersAreThoseThatBroughtMostOfLate) {
  const sockets::Loopback little, much;
  ConnectionTable table(/*shards=*/1);
  table.Add(little.own(), "little", 0);
  table.Add(much.own(), "much", 0);
  EXPECT_TRUE(table.GreatestSenders(2).empty());
  little.Send(1000);
  for (int i = 0; i < 4; ++i) {
    much.Send(32 << 10);
    much.Read(32 << 10);
  }
  ASSERT_EQ(table.GreatestSenders(2).size(), 1u);
  EXPECT_EQ(table.GreatestSenders(2).front()->host, "much");
}

// Looks at a connection once a second.
class HeaderTimeTest : public testing::Test {
 protected:
  // Sends for `seconds`; true if a look found the time over.
  bool Send(int seconds, uint64_t packets, uint64_t bytes, bool answered = false) {
    bool over = false;
    for (int i = 0; i < seconds; ++i) {
      traffic_.packets += packets;
      traffic_.bytes += bytes;
      traffic_.answers += answered ? 1 : 0;
      now_ += absl::Seconds(1);
      over |= time_.IsOver(traffic_, now_);
    }
    return over;
  }

  absl::Time now_ = absl::UnixEpoch();
  sockets::Traffic traffic_;
  HeaderTime time_;
};

TEST_F(HeaderTimeTest, ManyPacketsWithoutAnAnswerAreOverAfterHalfAMinute) {
  EXPECT_FALSE(Send(/*seconds=*/30, /*packets=*/380, /*bytes=*/3800));
  EXPECT_TRUE(Send(/*seconds=*/1, /*packets=*/380, /*bytes=*/3800));
}

TEST_F(HeaderTimeTest, ManyPacketsWithAnswersGoOn) {
  EXPECT_FALSE(Send(/*seconds=*/3600, /*packets=*/1000, /*bytes=*/100'000, /*answered=*/true));
}

TEST_F(HeaderTimeTest, LargeMessageThatComesSlowlyGoesOn) {
  EXPECT_FALSE(Send(/*seconds=*/200, /*packets=*/15, /*bytes=*/20'000));
}

TEST_F(HeaderTimeTest, PingsOfAnIdleClientGoOn) {
  EXPECT_FALSE(Send(/*seconds=*/100'000, /*packets=*/1, /*bytes=*/17));
}

TEST_F(HeaderTimeTest, TimeBeginsAnewWithAnAnswer) {
  EXPECT_FALSE(Send(/*seconds=*/30, /*packets=*/380, /*bytes=*/3800));
  EXPECT_FALSE(Send(/*seconds=*/1, /*packets=*/380, /*bytes=*/3800, /*answered=*/true));
  EXPECT_FALSE(Send(/*seconds=*/29, /*packets=*/380, /*bytes=*/3800));
}

}  // namespace
}  // namespace aaren::accept
