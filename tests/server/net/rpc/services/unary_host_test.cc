#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "server/net/rpc/services/unary_call.h"
#include "tests/server/sessions/shard/world/world.h"

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

  // A call with a reply not taken by its client.
  void HoldReply(const std::string& peer, size_t bytes) {
    host_.held_bytes += bytes;
    held_.push_back(host_.places.Take(peer, [this, peer, bytes](CallPlaces::Why) {
      gone_.push_back(peer);
      host_.held_bytes -= bytes;
    }));
    ASSERT_TRUE(held_.back().taken());
    held_.back().BeginWaiting(bytes);
  }

  grpc::ServerBuilder builder_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_ = builder_.AddCompletionQueue();
  std::unique_ptr<grpc::Server> server_ = builder_.BuildAndStart();  // a queue belongs to a server
  session::Mailbox mailbox_;
  int calls_ = 0;
  shard::TestClock clock_;
  std::vector<std::string> gone_;  // peers of calls without a place any more
  UnaryHost host_{*queue_, mailbox_, calls_, StreamLimits{.unary_calls = 8, .unary_bytes = 64 << 10}, clock_};
  std::deque<CallPlaces::Place> held_;
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

TEST_F(UnaryHostTest, RepliesThatAreNotTakenMakeRoomAfterASecond) {
  HoldReply("ipv4:2.2.2.2:1", kLarge);
  HoldReply("ipv4:3.3.3.3:1", kLarge);
  clock_.Advance(absl::Milliseconds(999));
  EXPECT_FALSE(host_.MakeRoom(kLarge));
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_TRUE(host_.MakeRoom(kLarge));
  EXPECT_EQ(gone_, std::vector<std::string>{"ipv4:2.2.2.2:1"});
  EXPECT_EQ(host_.held_bytes, kLarge);
}

TEST_F(UnaryHostTest, NoReplyGoesInVain) {
  HoldReply("ipv4:2.2.2.2:1", kLarge);
  host_.held_bytes += kLarge;  // a request under way
  clock_.Advance(absl::Seconds(1));
  EXPECT_FALSE(host_.MakeRoom(2 * kLarge));
  EXPECT_EQ(host_.held_bytes, 2 * kLarge);
}

TEST_F(UnaryHostTest, RequestsThatHaveNotComeMakeNoRoom) {
  host_.held_bytes = 2 * kLarge;
  HoldReply("ipv4:2.2.2.2:1", 0);
  clock_.Advance(absl::Seconds(10));
  EXPECT_FALSE(host_.MakeRoom(kLarge));
  EXPECT_TRUE(gone_.empty());
}

}  // namespace
}  // namespace aaren::rpc
