#include "server/net/accept/acceptor.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "server/machine/socket/peer_name.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::accept {
namespace {

// A socket of this process, closed by the destructor.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

  // True if the peer has ended the connection; waits for at most a minute.
  bool Ended() const {
    const timeval minute{60, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof(minute));
    char byte;
    const ssize_t got = recv(fd_, &byte, 1, 0);
    return got == 0 || (got < 0 && errno == ECONNRESET);
  }

 private:
  int fd_;
};

// A clock that stands until told to pass.
class StandingClock : public session::Clock {
 public:
  int64_t NowNanos() const override { return now_ns_; }
  absl::Time Wall() const override { return absl::Now(); }
  void Pass(absl::Duration time) { now_ns_ += absl::ToInt64Nanoseconds(time); }

 private:
  std::atomic<int64_t> now_ns_ = 1;
};

int Option(int socket, int level, int option) {
  int value = 0;
  socklen_t size = sizeof(value);
  EXPECT_EQ(getsockopt(socket, level, option, &value, &size), 0);
  return value;
}

// Takes connections for two shards.
class AcceptorTest : public testing::Test {
 protected:
  void Start(size_t max_connections, const session::Clock& clock = session::Clock::System()) {
    acceptor_ = *Acceptor::Listen({"127.0.0.1", 0}, max_connections, clock);
    acceptor_->Start({{[this](int socket) { Add(0, socket); }, [this] { return busy_ns_.load(); },
                       [this] { return kept_.exchange(false); }},
                      {[this](int socket) { Add(1, socket); }, nullptr}},
                     {.within = absl::Seconds(10)}, [this] { return excess_.load(); });
  }
  void Add(size_t shard, int socket) {
    absl::MutexLock lock(&mutex_);
    taken_[shard].emplace_back(socket);
  }
  size_t Taken(size_t shard) {
    absl::MutexLock lock(&mutex_);
    return taken_[shard].size();
  }
  // Reads the waiting bytes, as a shard does.
  void Drain() {
    absl::MutexLock lock(&mutex_);
    std::string bytes(64 << 10, 0);
    for (const auto& shard : taken_) {
      for (const Socket& socket : shard) (void)recv(socket.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    }
  }
  bool Await(size_t taken, size_t open) {
    return rpc::Serving::Eventually(
        [&] { return Taken(0) + Taken(1) == taken && acceptor_->counters().open.value() == open; });
  }

  // Connects from 127.0.0.`host` and sends the first byte.
  Socket Connect(uint32_t host = 1) const {
    Socket client = ConnectSilently(host);
    (void)send(client.fd(), "P", 1, MSG_NOSIGNAL);  // may be refused already
    return client;
  }
  Socket ConnectSilently(uint32_t host = 1) const {
    Socket client(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
    EXPECT_EQ(bind(client.fd(), reinterpret_cast<sockaddr*>(&own), sizeof(own)), 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(acceptor_->port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(client.fd(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return client;
  }

  StandingClock clock_;
  std::atomic<bool> kept_ = false;    // the first shard's thread, until relieved
  std::atomic<int64_t> busy_ns_ = 0;  // the first shard's
  std::atomic<size_t> excess_ = 0;
  absl::Mutex mutex_;
  std::vector<Socket> taken_[2];
  std::unique_ptr<Acceptor> acceptor_;
};

TEST_F(AcceptorTest, ConnectionsThatComeTogetherAreSpreadOverTheShards) {
  Start(/*max_connections=*/100);
  std::vector<Socket> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(Connect());
  EXPECT_TRUE(Await(/*taken=*/10, /*open=*/10));
  EXPECT_EQ(Taken(0), 5u);
}

TEST_F(AcceptorTest, GivesAConnectionToTheShardThatIsLessBusyThoughItHasMore) {
  Start(/*max_connections=*/100, clock_);
  const Socket first = Connect();
  const Socket second = Connect();
  ASSERT_TRUE(Await(/*taken=*/2, /*open=*/2));
  for (int second = 0; second < 3; ++second) {
    busy_ns_ = busy_ns_ + 900'000'000;
    clock_.Pass(absl::Seconds(1));
    absl::SleepFor(absl::Milliseconds(60));  // a look is taken every twenty
  }
  std::vector<Socket> others;
  for (int i = 0; i < 3; ++i) others.push_back(Connect());
  ASSERT_TRUE(Await(/*taken=*/5, /*open=*/5));
  EXPECT_EQ(Taken(0), 1u);
}

TEST_F(AcceptorTest, ShardsDoNotHearOfAConnectionBeforeItSpeaks) {
  Start(/*max_connections=*/9);
  const Socket silent = ConnectSilently(), speaking = Connect();
  EXPECT_TRUE(Await(/*taken=*/1, /*open=*/2));
  ASSERT_EQ(send(silent.fd(), "P", 1, MSG_NOSIGNAL), 1);
  EXPECT_TRUE(Await(/*taken=*/2, /*open=*/2));
}

TEST_F(AcceptorTest, ConnectionThatSaysNothingIsClosedAfterItsTime) {
  Start(/*max_connections=*/9, clock_);
  const Socket silent = ConnectSilently();
  EXPECT_TRUE(Await(/*taken=*/0, /*open=*/1));
  clock_.Pass(absl::Seconds(10));
  EXPECT_TRUE(silent.Ended());
  clock_.Pass(absl::Seconds(1));  // until the next look
  EXPECT_TRUE(Await(/*taken=*/0, /*open=*/0));
}

TEST_F(AcceptorTest, SilentPeersAreProbedAtDifferentTimes) {
  Start(/*max_connections=*/9);
  const Socket first = Connect(), second = Connect();
  ASSERT_TRUE(Await(/*taken=*/2, /*open=*/2));
  absl::MutexLock lock(&mutex_);
  const int socket = taken_[0].front().fd(), other = taken_[1].front().fd();
  EXPECT_EQ(Option(socket, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_NE(Option(socket, IPPROTO_TCP, TCP_KEEPIDLE), Option(other, IPPROTO_TCP, TCP_KEEPIDLE));
}

TEST_F(AcceptorTest, ClosesAConnectionBeyondTheLimitUntilAnotherEnds) {
  Start(/*max_connections=*/2);
  const Socket first = Connect();
  {
    const Socket second = Connect();
    EXPECT_TRUE(Await(2, 2));
    EXPECT_TRUE(Connect().Ended());
    absl::MutexLock lock(&mutex_);
    taken_[1].clear();  // the server closes the socket
  }
  EXPECT_TRUE(rpc::Serving::Eventually([this] { return acceptor_->counters().open.value() == 1; }));
  const Socket third = Connect();
  EXPECT_TRUE(rpc::Serving::Eventually([this] { return acceptor_->counters().open.value() == 2; }));
  EXPECT_EQ(acceptor_->counters().refused.value(), 1u);
}

TEST_F(AcceptorTest, LastEighthOfThePlacesIsForHostsWithFewConnections) {
  Start(/*max_connections=*/80);
  std::vector<Socket> greedy;
  for (size_t i = 0; i < 70; ++i) greedy.push_back(Connect());
  ASSERT_TRUE(Await(70, 70));
  EXPECT_TRUE(Connect().Ended());
  const Socket other = Connect(/*host=*/2);
  EXPECT_TRUE(Await(/*taken=*/71, /*open=*/71));
  EXPECT_EQ(acceptor_->counters().ended.value(), 0u);
}

TEST_F(AcceptorTest, EndsAllConnectionsWhenTheServerLeaves) {
  Start(/*max_connections=*/2);
  const Socket first = Connect(), second = Connect();
  EXPECT_TRUE(Await(2, 2));
  acceptor_->EndAll();
  EXPECT_TRUE(first.Ended());
  EXPECT_TRUE(second.Ended());
  EXPECT_EQ(acceptor_->counters().ended.value(), 2u);
}

TEST_F(AcceptorTest, RelievesAShardWhoseThreadIsKept) {
  Start(/*max_connections=*/2);
  const Socket client = Connect();
  EXPECT_TRUE(Await(1, 1));
  kept_ = true;
  EXPECT_TRUE(rpc::Serving::Eventually([this] { return acceptor_->counters().reliefs.value() == 1; }));
}

// Nothing is answered: the packets belong to an endless header.
TEST_F(AcceptorTest, EndsAConnectionOnWhichAHeaderDoesNotEnd) {
  Start(/*max_connections=*/2, clock_);
  const Socket client = Connect(), quiet = Connect();
  ASSERT_TRUE(Await(2, 2));
  clock_.Pass(absl::Seconds(1));
  absl::SleepFor(absl::Milliseconds(60));  // a look is taken every twenty
  const int on = 1;
  setsockopt(client.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  for (int i = 0; i < 4000; ++i) {
    ASSERT_EQ(send(client.fd(), "x", 1, MSG_NOSIGNAL), 1);
    Drain();  // makes each byte a packet
  }
  clock_.Pass(absl::Seconds(31));
  EXPECT_TRUE(client.Ended());
  EXPECT_EQ(acceptor_->counters().ended.value(), 1u);
}

TEST_F(AcceptorTest, AfterStopWhoeverConnectsIsRefused) {
  Start(/*max_connections=*/2);
  acceptor_->Stop();
  const Socket client(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<in_port_t>(acceptor_->port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_NE(connect(client.fd(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
}

// Senders of 64 KB and more of late, like clients that ask for much.
class MemoryTest : public AcceptorTest {
 protected:
  void Send(const Socket& client) {
    const std::string piece(32 << 10, 'x');
    for (int i = 0; i < 4; ++i) {
      ASSERT_EQ(send(client.fd(), piece.data(), piece.size(), MSG_NOSIGNAL), static_cast<ssize_t>(piece.size()));
      Drain();
    }
  }
};

TEST_F(MemoryTest, WhileMemoryGrowsTheGreatestSenderIsEnded) {
  Start(/*max_connections=*/10);
  const Socket greedy = Connect(), quiet = Connect();
  ASSERT_TRUE(Await(2, 2));
  Send(greedy);
  excess_ = 100 << 20;
  EXPECT_TRUE(greedy.Ended());
  EXPECT_EQ(acceptor_->counters().ended.value(), 1u);
}

TEST_F(MemoryTest, MemoryThatDoesNotGrowCostsNobodyAConnection) {
  Start(/*max_connections=*/10);
  const Socket first = Connect();
  ASSERT_TRUE(Await(1, 1));
  excess_ = 100 << 20;
  absl::SleepFor(absl::Milliseconds(200));  // a look is taken every twenty
  Send(first);
  absl::SleepFor(absl::Milliseconds(200));
  EXPECT_EQ(acceptor_->counters().ended.value(), 0u);
}

}  // namespace
}  // namespace aaren::accept
