// The same session gives the same bits for every cutting of its tokens into messages, every load of the server, and
// every number of shards.

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "aaren/v1/stream.grpc.pb.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "server/net/rpc/server.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/models/model_watch.h"
#include "server/store/memory_store.h"

namespace aaren {
namespace {

constexpr int kTokens = 300;
constexpr int kOthers = 500;

// A triangle with noise and gaps; for session 0 also a glitch, a jump, an outage and tiny values. Made from integers
// and products: every machine makes the same bits.
float Value(int session, int seq) {
  if ((seq + session) % 41 == 7) return std::nanf("");
  const int season = (seq + session) % 24 - 12;
  const float value = static_cast<float>(8 * (10 * (session + 1) + (season < 0 ? -season : season)) + seq * 37 % 11);
  if (session > 0) return value;
  if (seq == 100) return -4e9f;
  if (seq >= 150 && seq < 200) return 1e5f + 16.0f * value;
  if (seq >= 220 && seq < 240) return std::nanf("");
  return seq >= 260 && seq < 270 ? value * 0x1p-96f : value;
}

// A stream spoken message by message.
class Speaker {
 public:
  explicit Speaker(const std::string& target)
      : stub_(v1::Streaming::NewStub(grpc::CreateChannel(target, grpc::InsecureChannelCredentials()))),
        stream_(stub_->Stream(&context_)) {
    v1::ClientMessage hello;
    hello.add_items()->mutable_hello()->set_protocol_version(1);
    Send(hello);
  }

  ~Speaker() {
    stream_->WritesDone();
    v1::ServerMessage rest;
    while (stream_->Read(&rest)) {
    }
    EXPECT_TRUE(stream_->Finish().ok());
  }

  void Send(const v1::ClientMessage& message) { ASSERT_TRUE(stream_->Write(message)); }

  void Open(int sessions) {
    v1::ClientMessage message;
    for (int handle = 0; handle < sessions; ++handle) {
      v1::Open& open = *message.add_items()->mutable_open();
      open.set_handle(handle);
      open.set_session_id(absl::StrCat("session-", handle));
      open.mutable_output()->set_surprise(true);
      if (handle > 0) open.mutable_output()->add_horizons(1);  // little, as nobody reads while we send
    }
    Send(message);
    for (int opened = 0; opened < sessions;) {
      v1::ServerMessage reply;
      ASSERT_TRUE(stream_->Read(&reply));
      for (const v1::ServerItem& item : reply.items()) opened += item.has_opened() ? 1 : 0;
    }
  }

  // Reads until session 0 has answered all its tokens; returns the bytes of its forecasts and surprises.
  std::string Forecasts() {
    std::string bytes;
    for (uint64_t next_seq = 0; next_seq < kTokens;) {
      v1::ServerMessage reply;
      if (!stream_->Read(&reply)) break;
      for (const v1::ServerItem& item : reply.items()) {
        EXPECT_FALSE(item.has_failed()) << item.failed().status().message();
        if (!item.has_forecasts() || item.forecasts().handle() != 0) continue;
        next_seq = item.forecasts().next_seq();
        Append(item.forecasts().values(), bytes);
        Append(item.forecasts().surprise(), surprises_);
      }
    }
    return bytes + surprises_;
  }

 private:
  static void Append(const google::protobuf::RepeatedField<float>& values, std::string& bytes) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }

  grpc::ClientContext context_;
  std::unique_ptr<v1::Streaming::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientMessage, v1::ServerMessage>> stream_;
  std::string surprises_;
};

void AddTokens(v1::ClientMessage& message, int handle, int first, int count) {
  v1::Tokens& tokens = *message.add_items()->mutable_tokens();
  tokens.set_handle(handle);
  tokens.set_first_seq(first);
  for (int i = 0; i < count; ++i) tokens.add_values(Value(handle, first + i));
}

// Session 0's answers with `split` tokens an item, while `others` sessions talk in between.
std::string Answers(int split, int others, int shards) {
  models::ModelTable models;
  EXPECT_TRUE(models::ModelWatch(models, AAREN_BUNDLED_MODELS).Load().ok());
  store::MemoryStore store;
  rpc::ServerOptions options;
  options.shards = shards;
  auto server = rpc::Server::Start(options, models, store);
  EXPECT_TRUE(server.ok()) << server.status();
  Speaker speaker((*server)->address());
  speaker.Open(1 + others);
  for (int first = 0; first < kTokens; first += split) {
    v1::ClientMessage message;
    AddTokens(message, 0, first, std::min(split, kTokens - first));
    for (int other = 1; other <= others && first < 8 * split; ++other) AddTokens(message, other, first / split, 1);
    speaker.Send(message);
  }
  return speaker.Forecasts();
}

class BitsTest : public testing::Test {
 protected:
  const std::string alone_ = Answers(1, 0, 1);
};

TEST_F(BitsTest, EveryTokenIsAnsweredInFull) { EXPECT_EQ(alone_.size(), kTokens * (48 * 9 + 1) * sizeof(float)); }

// The bits change only together with kForecasterNumerics, like golden_test.cc's.
TEST_F(BitsTest, TheBundledModelGivesTheRecordedBits) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (char byte : alone_) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  EXPECT_EQ(hash, 0xe7c0835652fd0d40u);
}

TEST_F(BitsTest, SevenTokensAMessageGiveTheSameBits) { EXPECT_TRUE(Answers(7, 0, 1) == alone_); }

TEST_F(BitsTest, SixtyFourTokensAMessageGiveTheSameBits) { EXPECT_TRUE(Answers(64, 0, 1) == alone_); }

TEST_F(BitsTest, FiveHundredOtherSessionsChangeNoBit) { EXPECT_TRUE(Answers(1, kOthers, 1) == alone_); }

TEST_F(BitsTest, MessagesOfSevenAmongOthersOnTwoShardsChangeNoBit) { EXPECT_TRUE(Answers(7, kOthers, 2) == alone_); }

}  // namespace
}  // namespace aaren
