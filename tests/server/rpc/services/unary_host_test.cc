#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/rpc/services/unary_call.h"
#include "tests/server/shard/world/world.h"

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
  shard::TestClock clock_;
  UnaryHost host_{*queue_, mailbox_, calls_, StreamLimits{.unary_calls = 8, .unary_bytes = 64 << 10}, clock_};
};

constexpr size_t kLarge = 32 << 10;

TEST_F(UnaryHostTest, OneRequestAloneMayBeOfAnySize) { EXPECT_TRUE(host_.MakeRoom(10 * kLarge)); }

TEST_F(UnaryHostTest, BytesOfAllTogetherAreBounded) {
  host_.held_bytes = kLarge;
  EXPECT_TRUE(host_.MakeRoom(kLarge));
  EXPECT_FALSE(host_.MakeRoom(kLarge + 1));
}

TEST_F(UnaryHostTest, SmallOnesHaveRoomWhateverIsHeld) {
  host_.held_bytes = 10 * kLarge;
  EXPECT_TRUE(host_.MakeRoom(1000));
}

TEST_F(UnaryHostTest, RepliesThatAreNotTakenForASecondMakeRoom) {
  host_.held_bytes = 2 * kLarge;
  CallPlaces::Place place = host_.places.Take("ipv4:1.1.1.1:1", [&](CallPlaces::Why) { host_.held_bytes -= kLarge; });
  place.BeginWaiting(kLarge);
  EXPECT_FALSE(host_.MakeRoom(kLarge));
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(host_.MakeRoom(kLarge));
  EXPECT_FALSE(host_.MakeRoom(2 * kLarge));
}

TEST_F(UnaryHostTest, RequestsThatHaveNotComeMakeNoRoom) {
  host_.held_bytes = 2 * kLarge;
  bool gone = false;
  CallPlaces::Place place = host_.places.Take("ipv4:1.1.1.1:1", [&](CallPlaces::Why) { gone = true; });
  place.BeginWaiting();
  clock_.Advance(absl::Seconds(10));
  EXPECT_FALSE(host_.MakeRoom(kLarge));
  EXPECT_FALSE(gone);
}

}  // namespace
}  // namespace aaren::rpc
