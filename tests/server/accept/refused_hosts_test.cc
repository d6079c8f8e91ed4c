#include "server/accept/refused_hosts.h"

#include <gtest/gtest.h>

namespace aaren::accept {
namespace {

class RefusedHostsTest : public testing::Test {
 protected:
  // For how many seconds a host is refused from now on.
  int Seconds(const std::string& host = "a") const {
    int seconds = 0;
    while (refused_.Has(host, now_ + absl::Seconds(seconds))) ++seconds;
    return seconds;
  }
  // Floods as soon as it may; then so long passes.
  void Flood(absl::Duration after = absl::ZeroDuration()) {
    now_ += absl::Seconds(Seconds());
    refused_.RefuseFlood("a", now_);
    now_ += after;
    refused_.Forget(now_);
  }

  absl::Time now_ = absl::UnixEpoch();
  RefusedHosts refused_;
};

TEST_F(RefusedHostsTest, NobodyIsRefusedAtFirst) { EXPECT_EQ(Seconds(), 0); }

TEST_F(RefusedHostsTest, HostIsRefusedForASecond) {
  refused_.Refuse("a", now_);
  EXPECT_EQ(Seconds("a"), 1);
  EXPECT_EQ(Seconds("b"), 0);
}

TEST_F(RefusedHostsTest, EachFloodOfOneHostCostsItFourTimesAsMuch) {
  for (const int seconds : {1, 4, 16, 64, 256, 300, 300}) {
    Flood();
    EXPECT_EQ(Seconds(), seconds);
  }
}

TEST_F(RefusedHostsTest, ConnectionsOfOneFloodCountOnce) {
  for (int i = 0; i < 10; ++i) refused_.RefuseFlood("a", now_);
  EXPECT_EQ(Seconds(), 1);
}

TEST_F(RefusedHostsTest, WhatIsNoFloodDoesNotCountForTheNext) {
  for (int i = 0; i < 5; ++i) {
    refused_.Refuse("a", now_);
    now_ += absl::Seconds(1);
  }
  Flood();
  EXPECT_EQ(Seconds(), 1);
}

TEST_F(RefusedHostsTest, WhatIsNoFloodDoesNotShortenWhatOneCosts) {
  Flood();
  Flood();
  refused_.Refuse("a", now_);
  EXPECT_EQ(Seconds(), 4);
}

TEST_F(RefusedHostsTest, AfterTenMinutesOfPeaceAllIsForgotten) {
  Flood();
  Flood(absl::Seconds(4) + absl::Minutes(10));
  EXPECT_TRUE(refused_.empty());
  Flood();
  EXPECT_EQ(Seconds(), 1);
}

TEST_F(RefusedHostsTest, AfterLessPeaceItIsNot) {
  Flood();
  Flood(absl::Seconds(4) + absl::Minutes(9));
  Flood();
  EXPECT_EQ(Seconds(), 16);
}

}  // namespace
}  // namespace aaren::accept
