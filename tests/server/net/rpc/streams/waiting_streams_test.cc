#include "server/net/rpc/streams/waiting_streams.h"

#include <gtest/gtest.h>

#include <list>

#include "tests/server/net/rpc/streams/some_streams.h"

namespace aaren::rpc {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kNowNs = 50 * kSecond;

class WaitingStreamsTest : public testing::Test {
 protected:
  void Add(size_t i, const identity::Account* account) { waiting_.Add(places_.emplace_back(streams_[i]), account); }
  int Take(int64_t now_ns = kNowNs) { return streams_.IndexOf(waiting_.Take(now_ns)); }

  SomeStreams streams_;
  identity::Account a_{"a"}, b_{"b"};
  WaitingStreams waiting_;
  std::list<StreamLine::Place> places_;
};

TEST_F(WaitingStreamsTest, TenantsTakeTurnsAndStreamsOfOneStayInOrder) {
  for (size_t i = 0; i < 4; ++i) Add(i, &a_);
  Add(10, &b_);
  Add(11, nullptr);
  for (const int expected : {0, 10, 11, 1, 2, 3, -1}) EXPECT_EQ(Take(), expected);
  EXPECT_TRUE(waiting_.empty());
}

TEST_F(WaitingStreamsTest, ATenantWithoutTokensLeftIsPassedBy) {
  a_.tokens.Set(10);
  a_.tokens.Charge(20, kNowNs);
  Add(0, &a_);
  Add(1, &b_);
  EXPECT_EQ(Take(), 1);
  EXPECT_EQ(Take(), -1);
  EXPECT_FALSE(waiting_.empty());
  EXPECT_EQ(Take(kNowNs + 2 * kSecond), 0);
}

TEST_F(WaitingStreamsTest, AStreamWaitsOnce) {
  Add(0, &a_);
  waiting_.Add(places_.front(), &a_);
  EXPECT_EQ(Take(), 0);
  EXPECT_EQ(Take(), -1);
}

TEST_F(WaitingStreamsTest, AStreamThatEndsIsForgotten) {
  Add(0, &a_);
  Add(1, &a_);
  places_.pop_front();
  EXPECT_EQ(Take(), 1);
  Add(2, &a_);
  places_.pop_back();
  EXPECT_EQ(Take(), -1);
  EXPECT_TRUE(waiting_.empty());
}

}  // namespace
}  // namespace aaren::rpc
