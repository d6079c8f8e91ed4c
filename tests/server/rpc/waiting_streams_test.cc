#include "server/rpc/streams/waiting_streams.h"

#include <gtest/gtest.h>

#include <array>

namespace aaren::rpc {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kNow = 50 * kSecond;

// Streams without content, never read.
class WaitingStreamsTest : public testing::Test {
 protected:
  Stream& S(int i) { return reinterpret_cast<Stream&>(places_[i]); }
  int Take(int64_t now_ns = kNow) {
    Stream* stream = waiting_.Take(now_ns);
    return stream == nullptr ? -1 : static_cast<int>(reinterpret_cast<int64_t*>(stream) - places_.data());
  }

  std::array<int64_t, 20> places_{};
  identity::Account a_{"a"}, b_{"b"};
  WaitingStreams waiting_;
};

TEST_F(WaitingStreamsTest, TenantsTakeTurnsAndStreamsOfOneStayInOrder) {
  for (int i = 0; i < 4; ++i) waiting_.Add(S(i), &a_);
  waiting_.Add(S(10), &b_);
  waiting_.Add(S(11), nullptr);
  for (const int expected : {0, 10, 11, 1, 2, 3, -1}) EXPECT_EQ(Take(), expected);
  EXPECT_TRUE(waiting_.empty());
}

TEST_F(WaitingStreamsTest, ATenantWithoutTokensLeftIsPassedBy) {
  a_.tokens.Set(10);
  a_.tokens.Charge(20, kNow);
  waiting_.Add(S(0), &a_);
  waiting_.Add(S(1), &b_);
  EXPECT_EQ(Take(), 1);
  EXPECT_EQ(Take(), -1);
  EXPECT_FALSE(waiting_.empty());
  EXPECT_EQ(Take(kNow + 2 * kSecond), 0);
}

TEST_F(WaitingStreamsTest, OneThatEndsIsForgotten) {
  waiting_.Add(S(0), &a_);
  waiting_.Add(S(1), &a_);
  waiting_.Forget(S(0), &a_);
  EXPECT_EQ(Take(), 1);
  waiting_.Add(S(2), &a_);
  waiting_.Forget(S(2), &a_);
  EXPECT_EQ(Take(), -1);
  EXPECT_TRUE(waiting_.empty());
}

}  // namespace
}  // namespace aaren::rpc
