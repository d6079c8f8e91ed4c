// Callers: TLS, certificates of clients, tokens, roles, and tenants that do not see each other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "aaren/v1/models.grpc.pb.h"
#include "aaren/v1/sessions.grpc.pb.h"
#include "absl/strings/str_cat.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "server/net/tls/credentials.h"
#include "tests/client/certificates.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

using ::grpc::StatusCode;
using ::testing::HasSubstr;

// The sha256sum of "stream-token", "read-token", "admin-token", "other-token".
constexpr char kCallers[] = R"(
acme stream sha256:8929ba67483f306170512dee064c1a5d009b1fca7daafb86e902b82b0a2e7c7b
acme read sha256:0328587016f9e316b9c31c94f944a2c453e1494a564062b5eab68039c75b58bf
acme admin sha256:10a4c7c9fc5206d6f36dc6944a81bb6f4a3cb0e25014ae3b12e6c3e52712292a
other admin sha256:6c67163bbed989f232b31acc4f04df54b31285bfc01bd022c735b71e041a4754
)";

std::unique_ptr<identity::Callers> Listed(const std::string& path) {
  return std::make_unique<identity::Callers>(identity::RosterFile::Open(path).value(), nullptr,
                                             identity::WebTokenRules());
}

class SecurityTest : public Serving {
 protected:
  SecurityTest() : folder_(absl::StrCat(testing::TempDir(), "/security_", getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~SecurityTest() override {
    server_.reset();  // the server needs the list of callers to the end
    std::filesystem::remove_all(folder_);
  }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = absl::StrCat(folder_, "/", name);
    std::ofstream(path, std::ios::trunc) << text;
    return path;
  }

  tls::TlsFiles Files(const KeyedCertificate& server) const {
    return {.cert = Write("cert.pem", server.cert), .key = Write("key.pem", server.key), .client_ca = ""};
  }

  void Serve(const tls::TlsFiles& files) {
    rpc::ServerOptions options = Options();
    const auto credentials = tls::MakeCredentials(files);
    ASSERT_TRUE(credentials.ok()) << credentials.status();
    options.credentials = *credentials;
    options.callers = callers_.get();
    Start(options);
  }

  std::shared_ptr<grpc::Channel> Channel(const grpc::SslCredentialsOptions& options) const {
    return Channel(options, grpc::ChannelArguments());
  }

  // By the address, since a name would be looked up, and c-ares 1.18 loses the memory of "localhost".
  std::shared_ptr<grpc::Channel> Channel(const grpc::SslCredentialsOptions& options,
                                         grpc::ChannelArguments arguments) const {
    arguments.SetSslTargetNameOverride("localhost");
    return grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", server_->port()), grpc::SslCredentials(options),
                                     arguments);
  }

  static std::string WhyNot(const tls::TlsFiles& files) {
    return std::string(tls::MakeCredentials(files).status().message());
  }

  const std::string folder_;
  const CertificateAuthority authority_, stranger_;
  const KeyedCertificate server_pair_ = authority_.Issue("localhost");
  std::unique_ptr<identity::Callers> callers_;
};

// The context of a call with a token; empty: without a token.
std::unique_ptr<grpc::ClientContext> With(const std::string& token) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  if (!token.empty()) context->AddMetadata("authorization", absl::StrCat("Bearer ", token));
  return context;
}

StatusCode ListModels(const std::shared_ptr<grpc::Channel>& channel, const std::string& token = "") {
  v1::ListModelsResponse response;
  return v1::Models::NewStub(channel)->List(With(token).get(), {}, &response).error_code();
}

StatusCode Evict(const std::shared_ptr<grpc::Channel>& channel, const std::string& token, const std::string& id) {
  v1::EvictSessionRequest request;
  v1::EvictSessionResponse response;
  request.set_session_id(id);
  return v1::Sessions::NewStub(channel)->Evict(With(token).get(), request, &response).error_code();
}

StatusCode Get(const std::shared_ptr<grpc::Channel>& channel, const std::string& token, const std::string& id) {
  v1::GetSessionRequest request;
  v1::SessionInfo response;
  request.set_session_id(id);
  return v1::Sessions::NewStub(channel)->Get(With(token).get(), request, &response).error_code();
}

TEST_F(SecurityTest, WhoTrustsTheServersAuthorityConnects) {
  Serve(Files(server_pair_));
  EXPECT_EQ(ListModels(Channel({authority_.cert(), "", ""})), StatusCode::OK);
}

TEST_F(SecurityTest, StreamsRunOverTls) {
  Serve(Files(server_pair_));
  TestStream stream(Channel({authority_.cert(), "", ""}));
  stream.Greet();
  stream.Open(0, "a");
  stream.Send(TokensItem(0, 0, {1, 2}));
  EXPECT_EQ(stream.Receive().forecasts().values(0), SumForecast(1, 1, 0));
}

TEST_F(SecurityTest, WhoTrustsAnotherAuthorityDoesNotConnect) {
  Serve(Files(server_pair_));
  EXPECT_EQ(ListModels(Channel({stranger_.cert(), "", ""})), StatusCode::UNAVAILABLE);
}

TEST_F(SecurityTest, PlainTextIsNotServedBesideTls) {
  Serve(Files(server_pair_));
  EXPECT_EQ(ListModels(NewChannel()), StatusCode::UNAVAILABLE);
}

TEST_F(SecurityTest, ClientsMustShowACertificateWhereOneIsAskedFor) {
  tls::TlsFiles files = Files(server_pair_);
  files.client_ca = Write("clients.pem", authority_.cert());
  Serve(files);
  const KeyedCertificate own = authority_.Issue("me"), foreign = stranger_.Issue("me");
  EXPECT_EQ(ListModels(Channel({authority_.cert(), own.key, own.cert})), StatusCode::OK);
  EXPECT_EQ(ListModels(Channel({authority_.cert(), foreign.key, foreign.cert})), StatusCode::UNAVAILABLE);
  EXPECT_EQ(ListModels(Channel({authority_.cert(), "", ""})), StatusCode::UNAVAILABLE);
}

TEST_F(SecurityTest, RenewedCertificateHoldsForConnectionsThatBeginLater) {
  Serve(Files(server_pair_));
  TestStream before(Channel({authority_.cert(), "", ""}));
  before.Greet();
  Files(stranger_.Issue("localhost"));
  EXPECT_TRUE(Eventually([&] {
    grpc::ChannelArguments apart;
    apart.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return ListModels(Channel({stranger_.cert(), "", ""}, apart)) == StatusCode::OK;
  }));
  EXPECT_EQ(before.Open(0, "a").next_seq(), 0);  // still open
}

TEST_F(SecurityTest, FilesThatCannotServeAreNamed) {
  const tls::TlsFiles good = Files(server_pair_);
  const std::string empty = Write("empty.pem", ""), other = Write("other.pem", stranger_.Issue("localhost").key);
  EXPECT_THAT(WhyNot({good.cert, "", ""}), HasSubstr("both tls_cert and tls_key"));
  EXPECT_THAT(WhyNot({"/nowhere.pem", good.key, ""}), HasSubstr("cannot read /nowhere.pem"));
  EXPECT_THAT(WhyNot({empty, good.key, ""}), HasSubstr(empty + " holds no certificate"));
  EXPECT_THAT(WhyNot({good.cert, empty, ""}), HasSubstr(empty + " holds no private key"));
  EXPECT_THAT(WhyNot({good.cert, other, ""}), HasSubstr(other + " is not the key of"));
  EXPECT_THAT(WhyNot({good.cert, good.key, empty}), HasSubstr(empty + " holds no certificate"));
}

class CallersTest : public SecurityTest {
 protected:
  CallersTest() {
    callers_ = Listed(Write("callers", kCallers));
    Serve({});
    channel_ = NewChannel();
  }

  // Opens a session as the caller with this token.
  void OpenAs(const std::string& token, const std::string& id) {
    TestStream stream(channel_, {{"authorization", absl::StrCat("Bearer ", token)}});
    stream.Greet();
    stream.Open(0, id);
  }

  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(CallersTest, NobodyKnownIsUnauthenticated) {
  EXPECT_EQ(ListModels(channel_), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(ListModels(channel_, "banana"), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(ListModels(channel_, "read-token"), StatusCode::OK);
}

TEST_F(CallersTest, AStreamOfNobodyKnownEndsAtOnce) {
  TestStream stream(channel_);
  EXPECT_EQ(stream.Finish().error_code(), StatusCode::UNAUTHENTICATED);
}

TEST_F(CallersTest, ARoleMayDoWhatThoseBelowItMay) {
  OpenAs("stream-token", "a");
  EXPECT_EQ(Get(channel_, "read-token", "a"), StatusCode::OK);
  EXPECT_EQ(Evict(channel_, "read-token", "a"), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Evict(channel_, "stream-token", "a"), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Evict(channel_, "admin-token", "a"), StatusCode::OK);
}

TEST_F(CallersTest, AReaderHasNoStream) {
  TestStream stream(channel_, {{"authorization", "Bearer read-token"}});
  EXPECT_EQ(stream.Finish().error_code(), StatusCode::PERMISSION_DENIED);
}

TEST_F(CallersTest, ATenantSeesItsOwnSessionsOnly) {
  OpenAs("stream-token", "a");
  EXPECT_EQ(Get(channel_, "other-token", "a"), StatusCode::NOT_FOUND);
  EXPECT_EQ(Evict(channel_, "other-token", "a"), StatusCode::NOT_FOUND);
  OpenAs("other-token", "a");  // another session
  EXPECT_EQ(Get(channel_, "other-token", "a"), StatusCode::OK);
}

TEST_F(CallersTest, WhoeverIsStruckOutMayNotCallAnyMore) {
  EXPECT_EQ(ListModels(channel_, "read-token"), StatusCode::OK);
  Write("callers", "");
  EXPECT_TRUE(Eventually([&] {
    callers_->Look(session::Clock::System().NowNanos());
    return ListModels(channel_, "read-token") == StatusCode::UNAUTHENTICATED;
  }));
}

TEST_F(CallersTest, HealthIsTold) {
  grpc::health::v1::HealthCheckResponse response;
  EXPECT_EQ(grpc::health::v1::Health::NewStub(channel_)->Check(With("").get(), {}, &response).error_code(),
            StatusCode::OK);
}

TEST_F(SecurityTest, ACertificatesNameIsACaller) {
  callers_ = Listed(Write("callers", "acme read name:reader.example"));
  tls::TlsFiles files = Files(server_pair_);
  files.client_ca = Write("clients.pem", authority_.cert());
  Serve(files);
  const KeyedCertificate reader = authority_.Issue("reader.example"), nobody = authority_.Issue("nobody.example");
  EXPECT_EQ(ListModels(Channel({authority_.cert(), reader.key, reader.cert})), StatusCode::OK);
  EXPECT_EQ(ListModels(Channel({authority_.cert(), nobody.key, nobody.cert})), StatusCode::UNAUTHENTICATED);
}

}  // namespace
}  // namespace aaren::rpc
