// Many sessions on one stream of a server with room for few: their rows go to the store and come back, and every
// forecast has the bits of a server with room for all.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "aaren/v1/stream.grpc.pb.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "grpcpp/grpcpp.h"
#include "server/net/rpc/server.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/models/model_watch.h"
#include "server/store/rocksdb/rocksdb_store.h"

namespace aaren {
namespace {

constexpr int kSessions = 200;
constexpr int kRounds = 4;
constexpr int kTokens = 12;  // for a session in a round
constexpr size_t kResident = 4;
constexpr size_t kRowBytes = 8192;

float Value(int session, int seq) { return static_cast<float>(100 * session % 37 + (seq % 24 - 12) * (seq % 7)); }

class Client {
 public:
  explicit Client(const std::string& target)
      : stub_(v1::Streaming::NewStub(grpc::CreateChannel(target, grpc::InsecureChannelCredentials()))),
        stream_(stub_->Stream(&context_)),
        forecasts_(kSessions) {
    v1::ClientMessage message;
    message.add_items()->mutable_hello()->set_protocol_version(1);
    for (int handle = 0; handle < kSessions; ++handle) {
      v1::Open& open = *message.add_items()->mutable_open();
      open.set_handle(static_cast<uint32_t>(handle));
      open.set_session_id(absl::StrCat("session-", handle));
      open.mutable_output()->add_horizons(1);
      open.mutable_output()->add_horizons(24);
    }
    EXPECT_TRUE(stream_->Write(message));
  }

  ~Client() {
    stream_->WritesDone();
    v1::ServerMessage rest;
    while (stream_->Read(&rest)) {
    }
    EXPECT_TRUE(stream_->Finish().ok());
  }

  // Every session's next tokens, and reads until all are answered.
  void Round(int round) {
    v1::ClientMessage message;
    for (int handle = 0; handle < kSessions; ++handle) {
      v1::Tokens& tokens = *message.add_items()->mutable_tokens();
      tokens.set_handle(static_cast<uint32_t>(handle));
      tokens.set_first_seq(static_cast<uint64_t>(round * kTokens));
      for (int i = 0; i < kTokens; ++i) tokens.add_values(Value(handle, round * kTokens + i));
    }
    ASSERT_TRUE(stream_->Write(message));
    for (int answered = 0; answered < kSessions * kTokens;) {
      v1::ServerMessage reply;
      ASSERT_TRUE(stream_->Read(&reply));
      for (const v1::ServerItem& item : reply.items()) answered += Take(item);
    }
  }

  const std::vector<std::vector<float>>& forecasts() const { return forecasts_; }

 private:
  int Take(const v1::ServerItem& item) {
    EXPECT_FALSE(item.has_failed()) << item.failed().status().message();
    if (item.has_failed()) return kSessions * kTokens;
    if (!item.has_forecasts()) return 0;
    const v1::Forecasts& forecasts = item.forecasts();
    std::vector<float>& all = forecasts_[forecasts.handle()];
    all.insert(all.end(), forecasts.values().begin(), forecasts.values().end());
    return static_cast<int>(forecasts.next_seq() - forecasts.first_seq());
  }

  grpc::ClientContext context_;
  std::unique_ptr<v1::Streaming::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientMessage, v1::ServerMessage>> stream_;
  std::vector<std::vector<float>> forecasts_;  // by session
};

class TiersTest : public testing::Test {
 protected:
  TiersTest() { EXPECT_TRUE(models::ModelWatch(models_, AAREN_BUNDLED_MODELS).Load().ok()); }
  ~TiersTest() override { std::filesystem::remove_all(folder_); }

  // The forecasts of all sessions by a server with `resident_bytes` for rows.
  std::vector<std::vector<float>> Forecasts(size_t resident_bytes) {
    auto store = store::RocksDbStore::Open({.folder = absl::StrCat(folder_, "/", ++servers_)});
    EXPECT_TRUE(store.ok()) << store.status();
    rpc::ServerOptions options;
    options.shard.max_resident_bytes = resident_bytes;
    options.shard.save_interval = absl::Milliseconds(10);
    auto server = rpc::Server::Start(options, models_, **store);
    EXPECT_TRUE(server.ok()) << server.status();
    const shard::ShardCounters& counters = *(*server)->shard_counters()[0];
    Client client((*server)->address());
    for (int round = 0; round < kRounds; ++round) {
      client.Round(round);
      if (resident_bytes < kSessions * kRowBytes) AwaitDemotions(counters);
    }
    promotions_ = counters.promotions.value();
    return client.forecasts();
  }

  static void AwaitDemotions(const shard::ShardCounters& counters) {
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (counters.sessions_demoted.value() < kSessions - kResident) {
      ASSERT_LT(absl::Now(), deadline);
      std::this_thread::yield();
    }
  }

  models::ModelTable models_;
  const std::string folder_ =
      (std::filesystem::temp_directory_path() / absl::StrCat("aaren_tiers_test_", getpid())).string();
  int servers_ = 0;
  uint64_t promotions_ = 0;
};

TEST_F(TiersTest, SessionsThatLeaveAndComeBackForecastAsIfTheyHadStayed) {
  const std::vector<std::vector<float>> undisturbed = Forecasts(kSessions * kRowBytes);
  EXPECT_EQ(promotions_, 0);
  const std::vector<std::vector<float>> demoted = Forecasts(kResident * kRowBytes);
  EXPECT_GE(promotions_, (kRounds - 1) * (kSessions - kResident));
  for (int session = 0; session < kSessions; ++session) {
    EXPECT_TRUE(demoted[session] == undisturbed[session]) << "session " << session;
  }
}

}  // namespace
}  // namespace aaren
