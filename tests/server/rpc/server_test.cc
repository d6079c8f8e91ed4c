#include "server/rpc/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/rpc/serving.h"

namespace aaren::rpc {
namespace {

using testing::HasSubstr;

class PortInUseTest : public Serving {};

TEST_F(PortInUseTest, SecondServerIsAnErrorThatNamesTheAddress) {
  const auto second = Server::Start({.listen = server().address()}, models_, store_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(server().address()));
}

}  // namespace
}  // namespace aaren::rpc
