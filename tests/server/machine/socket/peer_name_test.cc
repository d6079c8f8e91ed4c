#include "server/machine/socket/peer_name.h"

#include <gtest/gtest.h>

namespace aaren::sockets {
namespace {

TEST(PeerNameTest, HostIsTheAddressOrTheNetworkOfAnIpv6One) {
  EXPECT_EQ(HostOf("10.0.0.7:5021"), "10.0.0.7");
  EXPECT_EQ(HostOf("[2001:db8:1:2:3:4:5:6]:5021"), "[2001:db8:1:2::]");
  EXPECT_EQ(HostOf("[::1]:5021"), "[::1]");
}

}  // namespace
}  // namespace aaren::sockets
