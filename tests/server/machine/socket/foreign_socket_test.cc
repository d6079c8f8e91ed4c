#include "server/machine/socket/foreign_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>

#include "tests/server/machine/socket/loopback.h"

namespace aaren::sockets {
namespace {

TEST(ForeignSocketTest, TrafficIsWhatHasComeWhetherReadOrNot) {
  const Loopback loopback;
  loopback.Send(1000);
  loopback.Read(500);
  const Traffic traffic = ForeignSocket(loopback.own()).traffic();
  EXPECT_EQ(traffic.bytes, 1000u);
  EXPECT_GE(traffic.packets, 1u);
}

TEST(ForeignSocketTest, LaterConnectionWithTheSameDescriptorIsAnother) {
  const auto ended = [] {
    const Loopback loopback;
    return ForeignSocket(loopback.own());
  }();
  const Loopback later;
  ASSERT_EQ(later.own(), ended.descriptor());
  later.Send(1000);
  EXPECT_FALSE(ended.Lasts());
  EXPECT_FALSE(ended.Reset());
  EXPECT_EQ(ended.traffic().bytes, 0u);
  EXPECT_TRUE(ForeignSocket(later.own()).Lasts());
}

TEST(ForeignSocketTest, ResetDropsUnreadBytesAndTellsThePeer) {
  const Loopback loopback;
  loopback.Send(1000);
  EXPECT_TRUE(ForeignSocket(loopback.own()).Reset());
  char byte;
  EXPECT_EQ(recv(loopback.peer(), &byte, 1, 0), -1);
  EXPECT_EQ(errno, ECONNRESET);
}

}  // namespace
}  // namespace aaren::sockets
