#include "server/net/rpc/streams/incoming.h"

#include <gtest/gtest.h>

#include <string>

#include "aaren/v1/stream.pb.h"
#include "tests/server/net/rpc/streams/some_streams.h"

namespace aaren::rpc {
namespace {

using Result = ItemReader::Result;

constexpr size_t kMost = 1 << 20, kRoom = 200'000;

class IncomingTest : public testing::Test {
 protected:
  // Reads a message of `bytes` bytes that are no items.
  absl::Status Read(size_t bytes, size_t most = kMost) { return Read(std::string(bytes, '\xff'), most); }

  absl::Status Read(const std::string& message, size_t most = kMost) {
    const grpc::Slice slice(message);
    *incoming_.BeginRead() = grpc::ByteBuffer(&slice, 1);
    incoming_.EndRead();
    return incoming_.Take(most);
  }

  // A message with a Close of each handle.
  static std::string Closes(const std::vector<uint32_t>& handles) {
    v1::ClientMessage message;
    for (const uint32_t handle : handles) message.add_items()->mutable_close()->set_handle(handle);
    return message.SerializeAsString();
  }

  uint32_t Handle() const {
    v1::Close close;
    close.ParseFromArray(incoming_.content().data(), static_cast<int>(incoming_.content().size()));
    return close.handle();
  }

  SomeStreams streams_;
  SharedBytes bytes_{kRoom};
  StreamLine line_;
  WaitingStreams waiting_;
  Incoming incoming_{streams_[0], bytes_, line_, waiting_};
};

TEST_F(IncomingTest, GivesTheItemsOfAMessageInOrder) {
  ASSERT_TRUE(Read(Closes({7, 8})).ok());
  ASSERT_TRUE(incoming_.BeginMessage());
  for (const uint32_t handle : {7, 8}) {
    ASSERT_EQ(incoming_.NextItem(), Result::kItem);
    EXPECT_EQ(Handle(), handle);
  }
  EXPECT_EQ(incoming_.NextItem(), Result::kEnd);
}

TEST_F(IncomingTest, GivesAnItemAgainThatWasPutBack) {
  ASSERT_TRUE(Read(Closes({7, 8})).ok());
  ASSERT_TRUE(incoming_.BeginMessage());
  incoming_.NextItem();
  incoming_.PutBack();
  ASSERT_EQ(incoming_.NextItem(), Result::kItem);
  EXPECT_EQ(Handle(), 7u);
  ASSERT_EQ(incoming_.NextItem(), Result::kItem);
  EXPECT_EQ(Handle(), 8u);
}

TEST_F(IncomingTest, RefusesAMessageBeyondTheLimit) {
  EXPECT_EQ(Read(101, 100).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(incoming_.message_bytes(), 0u);
}

TEST_F(IncomingTest, CountsAMessageUntilItsEnd) {
  ASSERT_TRUE(Read(5000).ok());
  ASSERT_TRUE(incoming_.BeginMessage());
  EXPECT_EQ(bytes_.taken(), 5000u);
  incoming_.Drop();
  EXPECT_EQ(bytes_.taken(), 0u);
  EXPECT_FALSE(incoming_.handling());
}

TEST_F(IncomingTest, ALargeMessageMayHaveAllTheRoomIfItIsAlone) {
  ASSERT_TRUE(Read(kRoom).ok());
  EXPECT_TRUE(incoming_.BeginMessage());
}

TEST_F(IncomingTest, ALargeMessageMayHaveHalfOfTheFreeBytesBesideOthers) {
  bytes_.Take(kRoom / 2);
  ASSERT_TRUE(Read(kRoom / 4 + 1).ok());
  EXPECT_FALSE(incoming_.BeginMessage());
  EXPECT_FALSE(incoming_.handling());
  ASSERT_TRUE(Read(kRoom / 4).ok());
  EXPECT_TRUE(incoming_.BeginMessage());
}

TEST_F(IncomingTest, ASmallMessageAlwaysFits) {
  bytes_.Take(kRoom);
  ASSERT_TRUE(Read(16 << 10).ok());
  EXPECT_TRUE(incoming_.BeginMessage());
}

TEST_F(IncomingTest, AsksForATurnOnlyWithAMessage) {
  incoming_.AskForTurn();
  EXPECT_TRUE(line_.empty());
  ASSERT_TRUE(Read(Closes({7})).ok());
  ASSERT_TRUE(incoming_.BeginMessage());
  incoming_.AskForTurn();
  EXPECT_EQ(line_.Next(), &streams_[0]);
}

TEST_F(IncomingTest, WaitsForTheShardUntilTheOffer) {
  ASSERT_TRUE(Read(Closes({7})).ok());
  ASSERT_TRUE(incoming_.BeginMessage());
  incoming_.WaitForShard(nullptr);
  EXPECT_TRUE(incoming_.waits_for_shard());
  EXPECT_EQ(waiting_.Take(0), &streams_[0]);
  EXPECT_FALSE(incoming_.waits_for_shard());
}

TEST_F(IncomingTest, ADropKeepsAReadUnderWay) {
  incoming_.BeginRead();
  incoming_.Drop();
  EXPECT_TRUE(incoming_.reading());
}

}  // namespace
}  // namespace aaren::rpc
