#include "aaren/client/health.h"

#include <gtest/gtest.h>

#include "tests/client/health_server.h"

namespace aaren::client {
namespace {

class HealthTest : public ::testing::Test {
 protected:
  HealthServer server_;
  Health health_{ServiceOptions{.target = server_.target()}};
};

TEST_F(HealthTest, ServerThatServesSaysSo) { EXPECT_EQ(health_.Serves(), absl::StatusOr<bool>(true)); }

TEST_F(HealthTest, ServiceThatIsAwayDoesNotServe) {
  server_.Set("aaren.v1.Streaming", false);
  EXPECT_EQ(health_.Serves("aaren.v1.Streaming"), absl::StatusOr<bool>(false));
  EXPECT_EQ(health_.Serves(), absl::StatusOr<bool>(true));
}

TEST_F(HealthTest, ServiceThatTheServerDoesNotHaveIsNotFound) {
  EXPECT_EQ(health_.Serves("aaren.v1.Weather").status().code(), absl::StatusCode::kNotFound);
}

TEST(HealthOfNobodyTest, IsUnavailable) {
  EXPECT_EQ(Health({.target = "127.0.0.1:1"}).Serves().status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace aaren::client
