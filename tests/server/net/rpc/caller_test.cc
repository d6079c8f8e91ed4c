#include "server/net/rpc/caller.h"

#include <gtest/gtest.h>

namespace aaren::rpc {
namespace {

TEST(NormalPeerTest, IsTheNameThatTheAcceptorUses) {
  EXPECT_EQ(NormalPeer("ipv4:127.0.0.1:5021"), "127.0.0.1:5021");
  EXPECT_EQ(NormalPeer("ipv6:%5B::1%5D:5021"), "[::1]:5021");
  EXPECT_EQ(NormalPeer("ipv6:[::1]:5021"), "[::1]:5021");
}

TEST(NormalPeerTest, LinkLocalAddressLosesItsZone) {
  EXPECT_EQ(NormalPeer("ipv6:%5Bfe80::1%25eth0%5D:5021"), "[fe80::1]:5021");
}

}  // namespace
}  // namespace aaren::rpc
