// Refusals: the code, the details, and the further life of the stream and the sessions.

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "google/rpc/error_details.pb.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

using testing::HasSubstr;

template <typename Detail>
Detail DetailOf(const google::rpc::Status& status) {
  Detail detail;
  for (const auto& any : status.details()) {
    if (any.UnpackTo(&detail)) return detail;
  }
  ADD_FAILURE() << "no " << detail.GetTypeName() << " in " << status.DebugString();
  return detail;
}

class RefusalTest : public Serving {
 protected:
  RefusalTest() : stream_(NewChannel()) { stream_.Greet(); }

  v1::Failed FailureOf(const v1::ClientItem& item) {
    stream_.Send(item);
    const v1::ServerItem answer = stream_.Receive();
    EXPECT_TRUE(answer.has_failed()) << answer.DebugString();
    return answer.failed();
  }

  // The session of handle 0 goes on at `seq`, with `sum` folded before.
  void ExpectGoesOn(uint64_t seq, float sum) {
    stream_.Send(TokensItem(0, seq, {1}));
    const v1::ServerItem item = stream_.Receive();
    ASSERT_TRUE(item.has_forecasts()) << item.DebugString();
    EXPECT_EQ(item.forecasts().values(0), SumForecast(sum + 1, 1, 0));
  }

  TestStream stream_;
};

TEST_F(RefusalTest, UnknownModel) {
  v1::ClientItem open = OpenItem(7, "a");
  open.mutable_open()->set_model("nosuch:3");
  const v1::Failed failed = FailureOf(open);
  EXPECT_EQ(failed.handle(), 7u);
  EXPECT_EQ(failed.status().code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(failed.status().message(), HasSubstr("nosuch:3"));
  EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(failed.status()).reason(), "MODEL_NOT_FOUND");
}

// Protobuf cannot parse a message with broken UTF-8.
TEST_F(RefusalTest, TheNameOfAnUnknownModelIsCutBetweenCharacters) {
  std::string name = "a";
  for (int i = 0; i < 100; ++i) name += "é";
  v1::ClientItem open = OpenItem(7, "a");
  open.mutable_open()->set_model(name);
  EXPECT_THAT(FailureOf(open).status().message(), HasSubstr("é...'"));
}

TEST_F(RefusalTest, ResumeOfAnUnknownSession) {
  v1::ClientItem open = OpenItem(0, "ghost");
  open.mutable_open()->set_mode(v1::Open::RESUME);
  const v1::Failed failed = FailureOf(open);
  EXPECT_EQ(failed.status().code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(failed.status()).reason(), "SESSION_NOT_FOUND");
}

TEST_F(RefusalTest, OpenWithADurabilityThatDoesNotExistNamesTheField) {
  v1::ClientItem open = OpenItem(3, "a");
  open.mutable_open()->set_durability(static_cast<v1::Open::Durability>(4));
  const v1::Failed failed = FailureOf(open);
  EXPECT_EQ(failed.status().code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailOf<google::rpc::BadRequest>(failed.status()).field_violations(0).field(), "open.durability");
}

TEST_F(RefusalTest, CreateOfAnExistingSessionTellsItsEpoch) {
  const uint64_t epoch = stream_.Open(0, "a").epoch();
  v1::ClientItem open = OpenItem(1, "a");
  open.mutable_open()->set_mode(v1::Open::CREATE);
  const v1::Failed failed = FailureOf(open);
  EXPECT_EQ(failed.status().code(), grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(failed.status()).metadata().at("epoch"), std::to_string(epoch));
  ExpectGoesOn(0, 0);
}

TEST_F(RefusalTest, ModeThatDoesNotExist) {
  v1::ClientItem open = OpenItem(0, "a");
  open.mutable_open()->set_mode(static_cast<v1::Open::Mode>(9));
  const v1::Failed failed = FailureOf(open);
  EXPECT_EQ(failed.status().code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailOf<google::rpc::BadRequest>(failed.status()).field_violations(0).field(), "open.mode");
}

TEST_F(RefusalTest, InfinityNamesThePlaceAndFoldsNothing) {
  stream_.Open(0, "a");
  const v1::Failed failed = FailureOf(TokensItem(0, 0, {1, 2, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(failed.status().code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(failed.expected_seq(), 0u);
  EXPECT_THAT(DetailOf<google::rpc::BadRequest>(failed.status()).field_violations(0).field(), HasSubstr("values[2]"));
  ExpectGoesOn(0, 0);
}

TEST_F(RefusalTest, WidthThatIsNoMultipleOfTheChannels) {
  v1::ClientItem open = OpenItem(0, "a");
  open.mutable_open()->set_channels(2);
  stream_.Open(open);
  EXPECT_EQ(FailureOf(TokensItem(0, 0, {1, 2, 3})).status().code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(RefusalTest, GapTellsTheExpectedSeqAndDropsWhatFollows) {
  stream_.Open(0, "a");
  stream_.Send({TokensItem(0, 0, {1}), TokensItem(0, 5, {2}), TokensItem(0, 6, {3})});
  EXPECT_TRUE(stream_.Receive().has_forecasts());
  const v1::Failed failed = stream_.Receive().failed();
  EXPECT_EQ(failed.status().code(), grpc::StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(failed.expected_seq(), 1u);
  ExpectGoesOn(1, 1);
}

TEST_F(RefusalTest, TokensForAHandleThatIsNotOpen) {
  EXPECT_EQ(FailureOf(TokensItem(9, 0, {1})).handle(), 9u);
  EXPECT_EQ(FailureOf(CloseItem(9)).status().code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(RefusalTest, OpenOverTheSlabComesWithAdviceToRetry) {
  rpc::ServerOptions options = Options();
  options.shard.capacity_rows = 2;
  options.shard.save_interval = absl::ZeroDuration();
  Start(options);
  TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  stream.Open(1, "b");
  stream.Send(OpenItem(2, "c"));
  const v1::Failed failed = stream.Receive().failed();
  EXPECT_EQ(failed.status().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailOf<google::rpc::QuotaFailure>(failed.status()).violations_size(), 1);
  EXPECT_GT(DetailOf<google::rpc::RetryInfo>(failed.status()).retry_delay().seconds() +
                DetailOf<google::rpc::RetryInfo>(failed.status()).retry_delay().nanos(),
            0);
  stream.Send(TokensItem(0, 0, {1}));
  EXPECT_TRUE(stream.Receive().has_forecasts());
}

}  // namespace
}  // namespace aaren::rpc
