#include "server/net/accept/handshake_gate.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace aaren::accept {
namespace {

const std::string kHello{22, 3, 1, 0, 4, 1, 0, 0, 0};  // any byte would do

// Both ends of a loopback connection. The server's end belongs to its holder.
struct Ends {
  int client, server;
};

class HandshakeGateTest : public testing::Test {
 protected:
  ~HandshakeGateTest() override {
    gate_.reset();
    for (const int socket : clients_) close(socket);
    for (const int socket : taken_) close(socket);
    close(listener_);
    close(poll_);
  }

  void Start(const HandshakeGate::Options& options) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    ASSERT_EQ(listen(listener_, 64), 0);
    gate_ = std::make_unique<HandshakeGate>(options, poll_);
  }

  Ends Connect() {
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    clients_.push_back(client);
    return {client, accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK)};
  }

  // A connection in the gate; its client has said `words`.
  Ends Hold(const std::string& words, const std::string& host = "a") {
    const Ends ends = Connect();
    Say(ends, words);
    gate_->Hold(
        ends.server, host, [this](int socket) { taken_.push_back(socket); }, now_);
    if (!words.empty()) Look();
    return ends;
  }
  static void Say(const Ends& ends, const std::string& words) {
    EXPECT_EQ(send(ends.client, words.data(), words.size(), MSG_NOSIGNAL), static_cast<ssize_t>(words.size()));
  }

  // Looks at the sockets with events within a moment.
  void Look() {
    std::array<epoll_event, 16> events;
    const int count = epoll_wait(poll_, events.data(), events.size(), 200);
    for (int i = 0; i < count; ++i) EXPECT_TRUE(gate_->Look(events[static_cast<size_t>(i)]));
  }
  void Pass(absl::Duration time, bool busy = true) { gate_->Advance(now_ += time, busy); }

  // True if the server's end was closed, as seen by the client.
  static bool Closed(const Ends& ends) {
    char byte;
    const ssize_t got = recv(ends.client, &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno == ECONNRESET);  // ECONNRESET if bytes were unread
  }

  const int poll_ = epoll_create1(0);
  const int listener_ = socket(AF_INET, SOCK_STREAM, 0);
  absl::Time now_ = absl::UnixEpoch();
  std::vector<int> clients_, taken_;
  std::unique_ptr<HandshakeGate> gate_;
};

TEST_F(HandshakeGateTest, WithoutTlsConnectionsGoThroughAtTheirFirstByte) {
  Start({});
  const Ends first = Hold(""), second = Hold("P");
  Pass(absl::ZeroDuration());
  EXPECT_EQ(taken_, std::vector<int>{second.server});
  Say(first, "P");
  Look();
  Pass(absl::ZeroDuration());
  EXPECT_EQ(taken_, (std::vector<int>{second.server, first.server}));
}

TEST_F(HandshakeGateTest, WhatWasSaidIsStillThereToBeRead) {
  Start({});
  Hold("PRI");
  Pass(absl::ZeroDuration());
  char words[4] = {};
  EXPECT_EQ(recv(taken_.at(0), words, sizeof(words), 0), 3);
  EXPECT_STREQ(words, "PRI");
}

TEST_F(HandshakeGateTest, ShardGetsAThousandHandshakesASecond) {
  Start({.tls = true});
  for (int i = 0; i < 50; ++i) Hold(kHello);
  for (int ms = 0; ms < 40; ++ms) Pass(absl::Milliseconds(1), /*busy=*/false);
  EXPECT_EQ(taken_.size(), 41u);
}

TEST_F(HandshakeGateTest, BusyShardGetsFiveHundredASecond) {
  Start({.tls = true});
  for (int i = 0; i < 50; ++i) Hold(kHello);
  for (int ms = 0; ms < 40; ++ms) Pass(absl::Milliseconds(1), /*busy=*/true);
  EXPECT_EQ(taken_.size(), 21u);
}

TEST_F(HandshakeGateTest, MoreShardsGetMore) {
  Start({.tls = true, .shards = 4});
  for (int i = 0; i < 50; ++i) Hold(kHello);
  for (int ms = 0; ms < 10; ++ms) Pass(absl::Milliseconds(1), /*busy=*/true);
  EXPECT_EQ(taken_.size(), 21u);
}

TEST_F(HandshakeGateTest, AnotherHostDoesNotWaitForAllOfOne) {
  Start({.tls = true});
  const Ends first = Hold(kHello, "flood");
  for (int i = 0; i < 10; ++i) Hold(kHello, "flood");
  const Ends other = Hold(kHello, "other");
  for (int i = 0; i < 2; ++i) Pass(absl::Milliseconds(1));
  Pass(absl::Milliseconds(1));
  EXPECT_EQ(taken_, (std::vector<int>{first.server, other.server}));
}

TEST_F(HandshakeGateTest, ClientThatLeavesIsForgottenThoughItsHelloHasCome) {
  Start({.tls = true});
  const Ends leaves = Hold(kHello), stays = Hold(kHello);
  shutdown(leaves.client, SHUT_WR);
  Look();
  Pass(absl::ZeroDuration());
  EXPECT_EQ(taken_, std::vector<int>{stays.server});
}

// The kernel gives a descriptor's number again at once.
TEST_F(HandshakeGateTest, AConnectionIsNotTakenForOneThatHadItsDescriptor) {
  Start({.tls = true, .within = absl::Seconds(10)});
  const Ends leaves = Hold(""), comes = Connect();
  shutdown(leaves.client, SHUT_WR);
  Look();
  now_ += absl::Seconds(9);
  ASSERT_EQ(fcntl(comes.server, F_DUPFD, leaves.server), leaves.server);
  close(comes.server);
  gate_->Hold(
      leaves.server, "a", [this](int socket) { taken_.push_back(socket); }, now_);
  gate_->CloseSilent(now_ + absl::Seconds(1));
  Pass(absl::ZeroDuration());
  EXPECT_FALSE(Closed(comes));
  EXPECT_TRUE(taken_.empty());
}

TEST_F(HandshakeGateTest, SilentConnectionIsClosedAfterItsTime) {
  Start({.within = absl::Seconds(10)});
  const Ends silent = Hold("");
  gate_->CloseSilent(now_ + absl::Seconds(9));
  EXPECT_FALSE(Closed(silent));
  gate_->CloseSilent(now_ + absl::Seconds(10));
  EXPECT_TRUE(Closed(silent));
}

TEST_F(HandshakeGateTest, WhoeverHasSpokenMayWaitForLonger) {
  Start({.tls = true, .within = absl::Seconds(10)});
  const Ends spoken = Hold(kHello), silent = Hold("");
  gate_->CloseSilent(now_ + absl::Seconds(10));
  EXPECT_TRUE(Closed(silent));
  EXPECT_FALSE(Closed(spoken));
  Pass(absl::Seconds(10));
  EXPECT_EQ(taken_, std::vector<int>{spoken.server});
}

TEST_F(HandshakeGateTest, SocketsThatItHoldsAreClosedWithIt) {
  Start({});
  const Ends silent = Hold("");
  gate_.reset();
  EXPECT_TRUE(Closed(silent));
}

}  // namespace
}  // namespace aaren::accept
