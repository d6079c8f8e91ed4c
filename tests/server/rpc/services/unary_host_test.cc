#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/rpc/services/unary_call.h"

namespace aaren::rpc {
namespace {

class UnaryHostTest : public testing::Test {
 protected:
  ~UnaryHostTest() override {
    server_->Shutdown();
    queue_->Shutdown();
    void* tag;
    bool ok;
    while (queue_->Next(&tag, &ok)) {
    }
  }

  grpc::ServerBuilder builder_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_ = builder_.AddCompletionQueue();
  std::unique_ptr<grpc::Server> server_ = builder_.BuildAndStart();  // a queue belongs to one
  session::Mailbox mailbox_;
  int calls_ = 0;
  UnaryHost host_{*queue_, mailbox_, calls_, StreamLimits{.unary_calls = 8, .unary_bytes = 100},
                  session::Clock::System()};
};

TEST_F(UnaryHostTest, OneRequestAloneMayBeOfAnySize) { EXPECT_TRUE(host_.HasRoom(1000)); }

TEST_F(UnaryHostTest, BytesOfAllTogetherAreBounded) {
  host_.held_bytes = 90;
  EXPECT_TRUE(host_.HasRoom(10));
  EXPECT_FALSE(host_.HasRoom(11));
}

TEST_F(UnaryHostTest, ReplyMayBeOfAnySizeIfNoOtherCallHoldsAnything) {
  host_.held_bytes = 10;
  EXPECT_TRUE(host_.HasRoom(1000, /*own=*/10));
  host_.held_bytes += 10;
  EXPECT_FALSE(host_.HasRoom(1000, /*own=*/10));
}

}  // namespace
}  // namespace aaren::rpc
