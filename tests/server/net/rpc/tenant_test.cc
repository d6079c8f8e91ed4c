// Limits of tenants, streams of callers struck out of the list, and callers who guess tokens.

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "aaren/v1/models.grpc.pb.h"
#include "aaren/v1/sessions.grpc.pb.h"
#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tests/server/net/rpc/serving/serving.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::rpc {
namespace {

using ::grpc::StatusCode;
using ::testing::HasSubstr;

// The sha256sum of "stream-token", "admin-token", "other-token".
constexpr char kStream[] = "acme stream sha256:8929ba67483f306170512dee064c1a5d009b1fca7daafb86e902b82b0a2e7c7b\n";
constexpr char kDemoted[] = "acme read sha256:8929ba67483f306170512dee064c1a5d009b1fca7daafb86e902b82b0a2e7c7b\n";
constexpr char kPromoted[] = "acme admin sha256:8929ba67483f306170512dee064c1a5d009b1fca7daafb86e902b82b0a2e7c7b\n";
constexpr char kAdmin[] = "acme admin sha256:10a4c7c9fc5206d6f36dc6944a81bb6f4a3cb0e25014ae3b12e6c3e52712292a\n";
constexpr char kOther[] = "other admin sha256:6c67163bbed989f232b31acc4f04df54b31285bfc01bd022c735b71e041a4754\n";

TestStream::Metadata Token(const std::string& token) { return {{"authorization", absl::StrCat("Bearer ", token)}}; }

// A detail of the status; empty if missing.
template <typename Detail>
Detail DetailOf(const grpc::Status& status) {
  google::rpc::Status rpc;
  Detail detail;
  if (!rpc.ParseFromString(status.error_details())) return detail;
  for (const auto& any : rpc.details()) {
    if (any.UnpackTo(&detail)) return detail;
  }
  return {};
}

// The subject of the QuotaFailure; empty without one.
std::string QuotaOf(const grpc::Status& status) {
  const auto quota = DetailOf<google::rpc::QuotaFailure>(status);
  return quota.violations_size() == 1 ? quota.violations(0).subject() : "";
}

// True if the session's replies come to `seq`, in order, and not beyond. A step may answer a part.
bool ComesTo(TestStream& stream, uint64_t seq) {
  uint64_t next = 0;
  while (next < seq) {
    const v1::ServerItem item = stream.Receive();
    if (!item.has_forecasts()) return false;
    next = item.forecasts().next_seq();
  }
  return next == seq;
}

class TenantsTest : public Serving {
 protected:
  ~TenantsTest() override {
    server_.reset();
    std::filesystem::remove(path_);
  }

  void Write(const std::string& callers) const { std::ofstream(path_, std::ios::trunc) << callers; }

  // On a clock that stands until moved.
  void ServeWith(const std::string& callers) { Serve(callers, clock_); }

  void Serve(const std::string& callers, const session::Clock& clock) {
    Write(callers);
    server_.reset();
    callers_ = std::make_unique<identity::Callers>(identity::RosterFile::Open(path_).value(), nullptr,
                                                   identity::WebTokenRules());
    callers_->Watch([&clock] { return clock.NowNanos(); });
    rpc::ServerOptions options = Options();
    options.callers = callers_.get();
    Start(options, clock);
    channel_ = NewChannel();
  }

  grpc::Status ListModels(const std::string& token) const {
    grpc::ClientContext context;
    for (const auto& [name, value] : Token(token)) context.AddMetadata(name, value);
    v1::ListModelsResponse response;
    return v1::Models::NewStub(channel_)->List(&context, {}, &response);
  }

  grpc::Status Get(const std::string& token, const std::string& id, v1::SessionInfo& info) const {
    grpc::ClientContext context;
    for (const auto& [name, value] : Token(token)) context.AddMetadata(name, value);
    v1::GetSessionRequest request;
    request.set_session_id(id);
    return v1::Sessions::NewStub(channel_)->Get(&context, request, &info);
  }

  // The role of the only stream.
  identity::Role RoleOfTheStream() const {
    std::promise<std::vector<StreamInfo>> described;
    server_->DescribeStreams(0, 0, 1,
                             [&](std::vector<StreamInfo> streams) { described.set_value(std::move(streams)); });
    return described.get_future().get().at(0).role;
  }

  const std::string path_ = absl::StrCat(testing::TempDir(), "/tenants_", getpid());
  shard::TestClock clock_;
  std::unique_ptr<identity::Callers> callers_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(TenantsTest, OneStreamTooManyIsRefusedByTenantAndLimit) {
  ServeWith(absl::StrCat(kStream, kOther, "acme limits streams=1\n"));
  TestStream first(channel_, Token("stream-token"));
  first.Greet();
  TestStream second(channel_, Token("stream-token"));
  const grpc::Status status = second.Finish();
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(QuotaOf(status), "tenant:acme/streams");
  EXPECT_GT(DetailOf<google::rpc::RetryInfo>(status).retry_delay().seconds(), 0);
  TestStream other(channel_, Token("other-token"));
  EXPECT_EQ(other.Greet().protocol_version(), 1u);
}

// Unknown callers are no reason to raise a limit.
TEST_F(TenantsTest, StreamsOfUnknownCallersAreCountedApartFromStreamsThatAreTooMany) {
  ServeWith(absl::StrCat(kStream, "acme limits streams=1\n"));
  TestStream unknown(channel_, Token("guess"));
  EXPECT_EQ(unknown.Finish().error_code(), StatusCode::UNAUTHENTICATED);
  TestStream first(channel_, Token("stream-token"));
  first.Greet();
  TestStream second(channel_, Token("stream-token"));
  EXPECT_EQ(second.Finish().error_code(), StatusCode::RESOURCE_EXHAUSTED);
  uint64_t strangers = 0, refused = 0;
  for (const StreamCounters* counters : server().stream_counters()) {
    strangers += counters->strangers.value();
    refused += counters->refused.value();
  }
  EXPECT_EQ(strangers, 1u);
  EXPECT_EQ(refused, 1u);
}

TEST_F(TenantsTest, AStreamThatEndsMakesRoomForAnother) {
  ServeWith(absl::StrCat(kStream, "acme limits streams=1\n"));
  for (int i = 0; i < 3; ++i) {
    TestStream stream(channel_, Token("stream-token"));
    stream.Greet();
    stream.HalfClose();
    EXPECT_TRUE(stream.Finish().ok());
    EXPECT_TRUE(Eventually([this] { return callers_->listed_accounts()[0]->streams.value() == 0; }));
  }
}

TEST_F(TenantsTest, UnaryCallsOfASecondAreCountedByTenant) {
  ServeWith(absl::StrCat(kStream, kAdmin, kOther, "acme limits unary_per_second=3\n"));
  EXPECT_TRUE(ListModels("stream-token").ok());
  EXPECT_TRUE(ListModels("admin-token").ok());
  EXPECT_TRUE(ListModels("stream-token").ok());
  const grpc::Status status = ListModels("admin-token");
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(QuotaOf(status), "tenant:acme/unary_per_second");
  EXPECT_GT(DetailOf<google::rpc::RetryInfo>(status).retry_delay().nanos(), 300'000'000);
  EXPECT_TRUE(ListModels("other-token").ok());
  clock_.Advance(absl::Milliseconds(340));
  EXPECT_TRUE(ListModels("admin-token").ok());
}

TEST_F(TenantsTest, TokensBeyondTheRateAreReadLaterAndNoneIsLost) {
  constexpr uint64_t kItems = 10, kTokens = 100;
  ServeWith(absl::StrCat(kStream, kOther, "acme limits tokens_per_second=100\n"));
  TestStream stream(channel_, Token("stream-token"));
  stream.Greet();
  stream.Open(0, "a");
  for (uint64_t i = 0; i < kItems; ++i) stream.Send(TokensItem(0, i * kTokens, std::vector<float>(kTokens, 1)));
  EXPECT_TRUE(ComesTo(stream, kTokens));
  const identity::Account& acme = *callers_->listed_accounts()[0];
  EXPECT_TRUE(Eventually([&] { return acme.limited(identity::Account::Limit::kTokens) > 0; }));
  // Another tenant's tokens are read meanwhile, and still none of this tenant's.
  TestStream other(channel_, Token("other-token"));
  other.Greet();
  other.Open(0, "a");
  for (uint64_t seq = 0; seq < 50; ++seq) {
    other.Send(TokensItem(0, seq, {1}));
    EXPECT_TRUE(other.Receive().has_forecasts());
  }
  EXPECT_EQ(acme.tokens_answered(), kTokens);
  for (uint64_t i = 1; i < kItems; ++i) {
    clock_.Advance(absl::Seconds(1));
    EXPECT_TRUE(ComesTo(stream, (i + 1) * kTokens));
  }
}

TEST_F(TenantsTest, WhoIsStruckOutLosesItsStreamAndKeepsItsSessions) {
  Serve(absl::StrCat(kStream, kAdmin), session::Clock::System());
  TestStream stream(channel_, Token("stream-token")), colleague(channel_, Token("admin-token"));
  stream.Greet();
  stream.Open(0, "a");
  stream.Send(TokensItem(0, 0, {1, 2, 3}));
  EXPECT_EQ(stream.Receive().forecasts().next_seq(), 3u);
  colleague.Greet();
  Write(kAdmin);
  const v1::ServerItem failed = stream.Receive();
  EXPECT_EQ(failed.failed().status().code(), StatusCode::UNAUTHENTICATED);
  EXPECT_FALSE(failed.failed().has_handle());
  EXPECT_EQ(stream.Finish().error_code(), StatusCode::UNAUTHENTICATED);
  v1::SessionInfo info;
  EXPECT_TRUE(Get("admin-token", "a", info).ok());
  EXPECT_EQ(info.next_seq(), 3u);
  EXPECT_FALSE(info.attached());
  EXPECT_EQ(colleague.Open(0, "b").next_seq(), 0u);  // still open
}

// The call's headers were let in.
TEST_F(TenantsTest, WhoIsStruckOutBeforeItsRequestComesIsNotServed) {
  Serve(absl::StrCat(kStream, kAdmin), session::Clock::System());
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer admin-token");
  grpc::CompletionQueue queue;
  const auto wait = [&queue] {
    void* tag;
    bool ok;
    ASSERT_TRUE(queue.Next(&tag, &ok));
  };
  grpc::GenericStub stub(channel_);
  const auto call = stub.PrepareCall(&context, "/aaren.v1.Models/List", &queue);
  call->StartCall(nullptr);
  wait();
  TestStream colleague(channel_, Token("stream-token"));  // on the same connection: the call's headers have come
  colleague.Greet();
  Write(kStream);
  ASSERT_TRUE(Eventually([&] { return ListModels("admin-token").error_code() == StatusCode::UNAUTHENTICATED; }));
  grpc::Slice nothing("");
  call->WriteLast(grpc::ByteBuffer(&nothing, 1), {}, nullptr);
  wait();
  grpc::Status status;
  call->Finish(&status, nullptr);
  wait();
  EXPECT_EQ(status.error_code(), StatusCode::UNAUTHENTICATED);
}

TEST_F(TenantsTest, WhoseRoleIsTakenLosesItsStream) {
  Serve(kStream, session::Clock::System());
  TestStream stream(channel_, Token("stream-token"));
  stream.Greet();
  Write(kDemoted);
  EXPECT_EQ(stream.Finish().error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(ListModels("stream-token").ok());
}

TEST_F(TenantsTest, WhoseRoleIsAnotherNowIsDescribedWithThat) {
  Serve(kPromoted, session::Clock::System());
  TestStream stream(channel_, Token("stream-token"));
  stream.Greet();
  EXPECT_EQ(RoleOfTheStream(), identity::Role::kAdmin);
  Write(kStream);
  EXPECT_TRUE(Eventually([this] { return RoleOfTheStream() == identity::Role::kStream; }));
}

TEST_F(TenantsTest, WhoBecomesAnothersLosesItsStream) {
  Serve(kStream, session::Clock::System());
  TestStream stream(channel_, Token("stream-token"));
  stream.Greet();
  Write(absl::StrCat("x", kStream));
  EXPECT_EQ(stream.Finish().error_code(), StatusCode::UNAUTHENTICATED);
}

// Like behind a proxy: both come from the same host.
TEST_F(TenantsTest, WhoGuessesKeepsNobodyOut) {
  ServeWith(absl::StrCat(kStream, kOther));
  for (int i = 0; i < 100; ++i) {
    const grpc::Status status = ListModels(absl::StrCat("guess", i));
    EXPECT_EQ(status.error_code(), StatusCode::UNAUTHENTICATED);
    EXPECT_THAT(status.error_message(), HasSubstr("neither a token nor"));
  }
  EXPECT_TRUE(ListModels("stream-token").ok());
  EXPECT_TRUE(ListModels("other-token").ok());
}

}  // namespace
}  // namespace aaren::rpc
