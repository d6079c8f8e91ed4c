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

  // As a call of this peer that goes on.
  void Begin(const std::string& peer, size_t bytes = 0) {
    host_.under_way.Take(peer);
    host_.held_bytes += bytes;
  }
  bool MayBegin(const std::string& peer, size_t bytes = 1) { return !host_.Check(peer, bytes).has_value(); }

  grpc::ServerBuilder builder_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_ = builder_.AddCompletionQueue();
  std::unique_ptr<grpc::Server> server_ = builder_.BuildAndStart();  // a queue belongs to one
  session::Mailbox mailbox_;
  int calls_ = 0;
  UnaryHost host_{*queue_, mailbox_, calls_, StreamLimits{.unary_calls = 8, .unary_bytes = 100},
                  session::Clock::System()};
};

TEST_F(UnaryHostTest, OneConnectionHasHalfOfTheCalls) {
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(MayBegin("one")) << i;
    Begin("one");
  }
  EXPECT_FALSE(MayBegin("one"));
  EXPECT_TRUE(MayBegin("two"));
}

TEST_F(UnaryHostTest, OthersHaveHalfOfWhatIsLeft) {
  for (int i = 0; i < 4; ++i) Begin("one");
  Begin("two");
  EXPECT_TRUE(MayBegin("two"));
  Begin("two");
  EXPECT_FALSE(MayBegin("two"));
  EXPECT_TRUE(MayBegin("three"));
}

TEST_F(UnaryHostTest, BytesOfAllTogetherAreBounded) {
  EXPECT_TRUE(MayBegin("one", 1000));  // alone any request may
  Begin("one", 90);
  EXPECT_TRUE(MayBegin("two", 10));
  EXPECT_FALSE(MayBegin("two", 11));
}

TEST_F(UnaryHostTest, ReplyMayBeOfAnySizeIfNoOtherCallHoldsAnything) {
  Begin("one", 10);
  EXPECT_TRUE(host_.HasRoom(1000, /*own=*/10));
  Begin("two", 10);
  EXPECT_FALSE(host_.HasRoom(1000, /*own=*/10));
}

TEST_F(UnaryHostTest, NothingBeginsWhileTheServerLeaves) {
  host_.draining = true;
  EXPECT_FALSE(MayBegin("one"));
  EXPECT_FALSE(host_.CheckRoom("one", 1).has_value());  // but for what is served to the end
}

}  // namespace
}  // namespace aaren::rpc
