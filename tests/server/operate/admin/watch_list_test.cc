// Admin.WatchSession adds, prolongs, ends and refuses watches, at a real admin address.

#include "server/operate/admin/watch_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/operate/admin/admin_serving.h"

namespace aaren::admin {
namespace {

using ::grpc::StatusCode;
using ::testing::HasSubstr;

class WatchListTest : public AdminServing {
 protected:
  WatchListTest() { StartAdmin(); }

  grpc::Status Ask(const std::string& tenant, const std::string& id, uint32_t seconds = 0, bool stop = false) {
    v1::WatchSessionRequest request;
    request.set_tenant(tenant);
    request.set_session_id(id);
    request.set_seconds(seconds);
    request.set_stop(stop);
    watched_ = {};
    return AdminServing::Ask(&Stub::WatchSession, request, watched_);
  }

  v1::WatchSessionResponse watched_;  // the last answer
};

TEST_F(WatchListTest, ASessionIsWatchedForAnHourUnlessTold) {
  ASSERT_TRUE(Ask("default", "a").ok());
  ASSERT_EQ(watched_.sessions_size(), 1);
  EXPECT_EQ(watched_.sessions(0).tenant(), "default");
  EXPECT_EQ(watched_.sessions(0).session_id(), "a");
  EXPECT_NEAR(static_cast<double>(watched_.sessions(0).left_ms()), 3'600'000, 60'000);
  ASSERT_TRUE(Ask("default", "a", 7200).ok());
  ASSERT_EQ(watched_.sessions_size(), 1);
  EXPECT_GT(watched_.sessions(0).left_ms(), 3'660'000u);
}

TEST_F(WatchListTest, ASessionIsNotWatchedAnyMoreWhenToldSo) {
  ASSERT_TRUE(Ask("default", "a").ok());
  ASSERT_TRUE(Ask("default", "a/b").ok());  // an id may hold the separator of tenant and id
  EXPECT_EQ(watched_.sessions(1).session_id(), "a/b");
  ASSERT_TRUE(Ask("default", "a", 0, true).ok());
  ASSERT_EQ(watched_.sessions_size(), 1);
  EXPECT_EQ(watched_.sessions(0).session_id(), "a/b");
}

TEST_F(WatchListTest, TokensOfAWatchedSessionAreCounted) {
  ASSERT_TRUE(Ask("default", "a").ok());
  rpc::TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  stream.Send(rpc::TokensItem(0, 0, {1, 2, 3}));
  stream.Receive();
  ASSERT_TRUE(Ask("default", "a").ok());
  EXPECT_EQ(watched_.sessions(0).tokens(), 3u);
}

TEST_F(WatchListTest, WhatCannotBeWatchedIsNamed) {
  for (const auto& [tenant, id, seconds, culprit] :
       std::vector<std::tuple<std::string, std::string, uint32_t, std::string>>{{"a/b", "x", 1, "a/b"},
                                                                                {"default", "", 1, "1 to 128 bytes"},
                                                                                {"default", "x\n", 1, "byte 1"},
                                                                                {"default", "x", 86'401, "86401"}}) {
    const grpc::Status status = Ask(tenant, id, seconds);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr(culprit));
  }
}

TEST_F(WatchListTest, ASeventeenthIsRefusedUntilOneHasGone) {
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(Ask("default", absl::StrCat("s", i)).ok());
  EXPECT_EQ(Ask("default", "late").error_code(), StatusCode::RESOURCE_EXHAUSTED);
  ASSERT_TRUE(Ask("default", "s3", 0, true).ok());
  EXPECT_TRUE(Ask("default", "late").ok());
}

}  // namespace
}  // namespace aaren::admin
