#include "server/machine/socket/socket_options.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "tests/server/machine/socket/loopback.h"

namespace aaren::sockets {
namespace {

int Get(int socket, int level, int option) {
  int value = -1;
  socklen_t size = sizeof(value);
  EXPECT_EQ(getsockopt(socket, level, option, &value, &size), 0);
  return value;
}

TEST(SocketOptionsTest, SmallWritesLeaveAtOnce) {
  const Loopback loopback;
  SetOptions(loopback.own(), 0);
  EXPECT_EQ(Get(loopback.own(), IPPROTO_TCP, TCP_NODELAY), 1);
}

TEST(SocketOptionsTest, SilentPeersAreProbedFromOneToTwoMinutesOnAndAtDifferentTimes) {
  const Loopback loopback;
  SetOptions(loopback.own(), 0);
  EXPECT_EQ(Get(loopback.own(), SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(Get(loopback.own(), IPPROTO_TCP, TCP_KEEPIDLE), 60);
  SetOptions(loopback.own(), 59);
  EXPECT_EQ(Get(loopback.own(), IPPROTO_TCP, TCP_KEEPIDLE), 119);
  SetOptions(loopback.own(), 60);
  EXPECT_EQ(Get(loopback.own(), IPPROTO_TCP, TCP_KEEPIDLE), 60);
}

// The kernel ends a connection once the user timeout is over with a probe open, however many probes are allowed.
TEST(SocketOptionsTest, AllThreeProbesAreSentWithinTheTimeOfUnansweredData) {
  const Loopback loopback;
  SetOptions(loopback.own(), 59);
  EXPECT_EQ(Get(loopback.own(), IPPROTO_TCP, TCP_KEEPCNT), 3);
  const int silent = Get(loopback.own(), IPPROTO_TCP, TCP_KEEPIDLE);
  const int probes = Get(loopback.own(), IPPROTO_TCP, TCP_KEEPCNT) * Get(loopback.own(), IPPROTO_TCP, TCP_KEEPINTVL);
  EXPECT_LE(1000 * (silent + probes), Get(loopback.own(), IPPROTO_TCP, TCP_USER_TIMEOUT));
}

}  // namespace
}  // namespace aaren::sockets
