// Callers with tokens signed by an identity provider's key, over the wire.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "aaren/v1/models.grpc.pb.h"
#include "aaren/v1/sessions.grpc.pb.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/identity/callers.h"
#include "tests/server/identity/tokens/token_maker.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

using ::grpc::StatusCode;

// By sha256sum: "stream-token".
constexpr char kListed[] =
    "acme stream sha256:8929ba67483f306170512dee064c1a5d009b1fca7daafb86e902b82b0a2e7c7b\n"
    "acme limits streams=1\n";

class WebTokenTest : public Serving {
 protected:
  WebTokenTest() { Write(keys_, provider_.Jwks()); }
  ~WebTokenTest() override { server_.reset(); }  // the server needs the callers to the end

  void Write(const std::string& path, const std::string& text) const { std::ofstream(path, std::ios::trunc) << text; }

  // With a list of callers beside the keys, unless `list` is empty.
  void Serve(const std::string& list = "") {
    std::unique_ptr<identity::RosterFile> roster;
    if (!list.empty()) {
      Write(list_, list);
      roster = identity::RosterFile::Open(list_).value();
    }
    callers_ = std::make_unique<identity::Callers>(
        std::move(roster), identity::KeySetFile::Open(keys_).value(),
        identity::WebTokenRules{.issuer = "us", .audience = "aaren", .skew = absl::ZeroDuration()});
    rpc::ServerOptions options = Options();
    callers_->Watch([] { return session::Clock::System().NowNanos(); });
    options.callers = callers_.get();
    Start(options);
    channel_ = NewChannel();
  }

  // A token of the tenant "acme".
  static std::string TokenOf(const identity::TokenMaker& provider, const std::string& role,
                             absl::Duration life = absl::Hours(1), const std::string& audience = "aaren") {
    const std::string claims = absl::StrCat(R"({"iss":"us","aud":")", audience, R"(","tenant":"acme","role":")", role,
                                            R"(","exp":)", absl::ToUnixSeconds(absl::Now() + life), "}");
    return provider.Sign(R"({"alg":"RS256"})", claims);
  }

  StatusCode List(const std::string& token) const {
    return token.empty() ? ListWith({}) : ListWith({absl::StrCat("Bearer ", token)});
  }
  StatusCode ListWith(const std::vector<std::string>& authorizations) const {
    grpc::ClientContext context;
    for (const std::string& text : authorizations) context.AddMetadata("authorization", text);
    v1::ListModelsResponse response;
    return v1::Models::NewStub(channel_)->List(&context, {}, &response).error_code();
  }

  StatusCode Evict(const std::string& token, const std::string& id) const {
    grpc::ClientContext context;
    context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
    v1::EvictSessionRequest request;
    v1::EvictSessionResponse response;
    request.set_session_id(id);
    return v1::Sessions::NewStub(channel_)->Evict(&context, request, &response).error_code();
  }

  const std::string keys_ = absl::StrCat(testing::TempDir(), "/jwks_", getpid());
  const std::string list_ = absl::StrCat(testing::TempDir(), "/list_", getpid());
  const identity::TokenMaker provider_ = identity::TokenMaker::Rsa(), stranger_ = identity::TokenMaker::Rsa();
  std::unique_ptr<identity::Callers> callers_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(WebTokenTest, WithKeysAloneNobodyWithoutATokenMayCall) {
  Serve();
  EXPECT_EQ(List(""), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(List("banana"), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(List(TokenOf(stranger_, "admin")), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(List(TokenOf(provider_, "admin", absl::Hours(1), "others")), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(List(TokenOf(provider_, "read")), StatusCode::OK);
}

// Like behind a proxy, where all clients have the same host.
TEST_F(WebTokenTest, ANewTokenIsTakenAmongManyBadOnesOfItsHost) {
  Serve();
  for (int i = 0; i < 30; ++i) ASSERT_EQ(List(TokenOf(stranger_, "read")), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(List(TokenOf(provider_, "read")), StatusCode::OK);
}

TEST_F(WebTokenTest, OneOfSeveralTokensIsNotLookedFor) {
  Serve();
  const std::string known = "Bearer " + TokenOf(provider_, "read");
  EXPECT_EQ(ListWith({known}), StatusCode::OK);
  EXPECT_EQ(ListWith({known, "Bearer banana"}), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(ListWith({"Basic Zm9vOmJhcg==", known}), StatusCode::UNAUTHENTICATED);
}

TEST_F(WebTokenTest, ItsRoleSaysWhatItMay) {
  Serve();
  TestStream reader(channel_, {{"authorization", "Bearer " + TokenOf(provider_, "read")}});
  EXPECT_EQ(reader.Finish().error_code(), StatusCode::PERMISSION_DENIED);
  TestStream stream(channel_, {{"authorization", "Bearer " + TokenOf(provider_, "stream")}});
  stream.Greet();
  stream.Open(0, "a");
  EXPECT_EQ(Evict(TokenOf(provider_, "stream"), "a"), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Evict(TokenOf(provider_, "admin"), "a"), StatusCode::OK);
}

TEST_F(WebTokenTest, CallersOfTheListAreKnownBesideIt) {
  Serve(kListed);
  EXPECT_EQ(List("stream-token"), StatusCode::OK);
  EXPECT_EQ(List(TokenOf(provider_, "read")), StatusCode::OK);
}

TEST_F(WebTokenTest, ItsTenantHasTheLimitsOfTheList) {
  Serve(kListed);
  TestStream first(channel_, {{"authorization", "Bearer " + TokenOf(provider_, "stream")}});
  first.Greet();
  TestStream second(channel_, {{"authorization", "Bearer " + TokenOf(provider_, "stream")}});
  EXPECT_EQ(second.Finish().error_code(), StatusCode::RESOURCE_EXHAUSTED);
}

TEST_F(WebTokenTest, ATenantThatOnlyTokensNameHasTheLimitsOfAllOthers) {
  Serve("* limits streams=1\n");
  TestStream first(channel_, {{"authorization", "Bearer " + TokenOf(provider_, "stream")}});
  first.Greet();
  TestStream second(channel_, {{"authorization", "Bearer " + TokenOf(provider_, "stream")}});
  EXPECT_EQ(second.Finish().error_code(), StatusCode::RESOURCE_EXHAUSTED);
}

// An already open stream counts.
TEST_F(WebTokenTest, LimitsThatTheListGivesLaterHoldForATenantWithOpenStreams) {
  Serve("# nobody\n");
  TestStream first(channel_, {{"authorization", "Bearer " + TokenOf(provider_, "stream")}});
  first.Greet();
  Write(list_, "acme limits streams=1\n");
  EXPECT_TRUE(Eventually([this] { return callers_->listed_accounts().size() == 1; }));
  TestStream second(channel_, {{"authorization", "Bearer " + TokenOf(provider_, "stream")}});
  EXPECT_EQ(second.Finish().error_code(), StatusCode::RESOURCE_EXHAUSTED);
  first.Open(0, "a");
}

TEST_F(WebTokenTest, AStreamEndsWithItsToken) {
  Serve();
  TestStream stream(channel_, {{"authorization", "Bearer " + TokenOf(provider_, "stream", absl::Seconds(3))}});
  stream.Greet();
  EXPECT_EQ(stream.Finish().error_code(), StatusCode::UNAUTHENTICATED);
}

TEST_F(WebTokenTest, AStreamEndsWithTheKeyOfItsToken) {
  Serve();
  TestStream stream(channel_, {{"authorization", "Bearer " + TokenOf(provider_, "stream")}});
  stream.Greet();
  Write(keys_, stranger_.Jwks());
  EXPECT_EQ(stream.Finish().error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(List(TokenOf(provider_, "read")), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(List(TokenOf(stranger_, "read")), StatusCode::OK);
}

}  // namespace
}  // namespace aaren::rpc
