#include "server/net/rpc/streams/outgoing.h"

#include <gtest/gtest.h>

#include <optional>

#include "aaren/v1/stream.pb.h"
#include "tests/server/net/rpc/streams/some_streams.h"

namespace aaren::rpc {
namespace {

constexpr size_t kUnreadRoom = 40'000;
const absl::Time kNow = absl::FromUnixSeconds(1000);

class OutgoingTest : public testing::Test {
 protected:
  OutgoingTest() { outgoing_.emplace(streams_[0], buffers_, unread_, to_flush_); }

  void Append(int floats = 100) {
    v1::Forecasts forecasts;
    forecasts.mutable_values()->Resize(floats, 1.0f);
    outgoing_->Append(v1::ServerItem::kForecasts, forecasts);
  }

  SomeStreams streams_;
  BufferPool buffers_;
  SharedBytes unread_{kUnreadRoom};
  StreamLine to_flush_;
  std::optional<Outgoing> outgoing_;
};

TEST_F(OutgoingTest, AReplyAsksForAFlush) {
  Append();
  EXPECT_EQ(to_flush_.Next(), &streams_[0]);
}

TEST_F(OutgoingTest, RepliesCountUntilGrpcHasTakenThem) {
  Append();
  const size_t bytes = outgoing_->unread();
  EXPECT_EQ(unread_.taken(), bytes);
  outgoing_->BeginWrite(kNow);
  EXPECT_EQ(outgoing_->unread(), bytes);
  EXPECT_EQ(unread_.taken(), bytes);
  EXPECT_EQ(outgoing_->EndWrite(), bytes);
  EXPECT_EQ(unread_.taken(), 0u);
}

TEST_F(OutgoingTest, RepliesMadeDuringAWriteWaitForTheNext) {
  Append();
  outgoing_->BeginWrite(kNow);
  EXPECT_TRUE(outgoing_->writing());
  EXPECT_FALSE(outgoing_->has_replies());
  Append();
  Append();
  EXPECT_EQ(outgoing_->writing_since(), kNow);
  outgoing_->EndWrite();
  outgoing_->BeginWrite(kNow + absl::Seconds(1));
  EXPECT_FALSE(outgoing_->has_replies());
}

TEST_F(OutgoingTest, UnreadRepliesMayTakeHalfOfTheFreeBytes) {
  EXPECT_TRUE(outgoing_->HasRoom());
  Append(3000);  // 12,000 bytes; 28,000 more are free
  EXPECT_TRUE(outgoing_->HasRoom());
  Append(1000);  // 16,000 bytes; 24,000 more are free
  EXPECT_FALSE(outgoing_->HasRoom());
}

TEST_F(OutgoingTest, AStreamWithoutRepliesHasRoomHoweverMuchOthersHold) {
  unread_.Take(kUnreadRoom);
  EXPECT_TRUE(outgoing_->HasRoom());
  Append();
  EXPECT_FALSE(outgoing_->HasRoom());
}

TEST_F(OutgoingTest, TakesNothingAfterItIsClosed) {
  Append();
  outgoing_->BeginWrite(kNow);
  const size_t writing = outgoing_->unread();
  Append();
  outgoing_->Close();
  Append();
  EXPECT_EQ(outgoing_->unread(), writing);
  EXPECT_EQ(unread_.taken(), writing);
}

TEST_F(OutgoingTest, GivesAllBytesBackAtTheEnd) {
  Append();
  outgoing_->BeginWrite(kNow);
  Append();
  outgoing_.reset();
  EXPECT_EQ(unread_.taken(), 0u);
  EXPECT_EQ(to_flush_.Next(), nullptr);
}

}  // namespace
}  // namespace aaren::rpc
