#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

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

  static constexpr char kPeer[] = "ipv4:1.1.1.1:1";

  // A call whose client does not take its reply.
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
  std::unique_ptr<grpc::Server> server_ = builder_.BuildAndStart();  // a queue belongs to one
  session::Mailbox mailbox_;
  int calls_ = 0;
  shard::TestClock clock_;
  std::vector<std::string> gone_;  // peers of calls that lost their places
  UnaryHost host_{*queue_, mailbox_, calls_, StreamLimits{.unary_calls = 8, .unary_bytes = 64 << 10}, clock_};
  std::deque<CallPlaces::Place> held_;
};

constexpr size_t kLarge = 32 << 10;

TEST_F(UnaryHostTest, OneRequestAloneMayBeOfAnySize) { EXPECT_TRUE(host_.MakeRoom(kPeer, 10 * kLarge)); }

TEST_F(UnaryHostTest, BytesOfAllTogetherAreBounded) {
  host_.held_bytes = kLarge;
  EXPECT_TRUE(host_.MakeRoom(kPeer, kLarge));
  EXPECT_FALSE(host_.MakeRoom(kPeer, kLarge + 1));
}

TEST_F(UnaryHostTest, SmallOnesHaveRoomWhateverIsHeld) {
  host_.held_bytes = 10 * kLarge;
  EXPECT_TRUE(host_.MakeRoom(kPeer, 1000));
}

TEST_F(UnaryHostTest, RepliesOfAHostThatHoldsMoreMakeRoomAtOnce) {
  HoldReply("ipv4:2.2.2.2:1", kLarge);
  HoldReply("ipv4:2.2.2.2:1", kLarge);
  EXPECT_TRUE(host_.MakeRoom(kPeer, kLarge));
  EXPECT_EQ(host_.held_bytes, kLarge);
}

TEST_F(UnaryHostTest, RepliesOfAHostThatHoldsAsMuchMakeRoomAfterASecond) {
  HoldReply("ipv4:2.2.2.2:1", kLarge);
  HoldReply("ipv4:3.3.3.3:1", kLarge);
  EXPECT_FALSE(host_.MakeRoom(kPeer, kLarge));
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(host_.MakeRoom(kPeer, kLarge));
  EXPECT_EQ(host_.held_bytes, kLarge);
}

// It replaces its own as often as it likes, so none of it is ever old.
TEST_F(UnaryHostTest, HostThatAsksAgainAndAgainKeepsNobodyOut) {
  HoldReply("ipv4:2.2.2.2:1", 3 * kLarge / 2);
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(absl::Milliseconds(30));
    if (host_.MakeRoom("ipv4:2.2.2.2:1", 3 * kLarge / 2)) HoldReply("ipv4:2.2.2.2:1", 3 * kLarge / 2);
  }
  EXPECT_TRUE(host_.MakeRoom(kPeer, kLarge));
}

TEST_F(UnaryHostTest, NoReplyGoesInVain) {
  HoldReply("ipv4:2.2.2.2:1", kLarge);
  host_.held_bytes += kLarge;  // of a request that is under way
  clock_.Advance(absl::Seconds(1));
  EXPECT_FALSE(host_.MakeRoom(kPeer, 2 * kLarge));
  EXPECT_EQ(host_.held_bytes, 2 * kLarge);
}

// A slow reader, and one who holds nothing yet and asks for more than that.
TEST_F(UnaryHostTest, HostThatWouldHoldMoreTakesNothingFromOthers) {
  HoldReply("ipv4:2.2.2.2:1", kLarge / 2);
  host_.held_bytes += 3 * kLarge / 2;  // of requests that are under way
  clock_.Advance(absl::Seconds(1));
  EXPECT_FALSE(host_.MakeRoom(kPeer, kLarge / 2 + 1));
  EXPECT_EQ(host_.held_bytes, 2 * kLarge);
}

TEST_F(UnaryHostTest, HostMakesRoomForItself) {
  HoldReply(kPeer, 2 * kLarge);
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(host_.MakeRoom("ipv4:1.1.1.1:2", kLarge));
  EXPECT_EQ(host_.held_bytes, 0u);
}

TEST_F(UnaryHostTest, HostThatHoldsMostGoesFirst) {
  HoldReply("ipv4:3.3.3.3:1", kLarge / 2);
  HoldReply("ipv4:2.2.2.2:1", kLarge);
  HoldReply("ipv4:2.2.2.2:2", kLarge / 2);
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(host_.MakeRoom(kPeer, kLarge / 2 + 1));
  EXPECT_EQ(gone_, std::vector<std::string>{"ipv4:2.2.2.2:1"});
}

TEST_F(UnaryHostTest, RequestsThatHaveNotComeMakeNoRoom) {
  host_.held_bytes = 2 * kLarge;
  HoldReply("ipv4:2.2.2.2:1", 0);
  clock_.Advance(absl::Seconds(10));
  EXPECT_FALSE(host_.MakeRoom(kPeer, kLarge));
  EXPECT_TRUE(gone_.empty());
}

}  // namespace
}  // namespace aaren::rpc
