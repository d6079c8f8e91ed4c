#include "client/cli/flags/connection_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands/command.h"
#include "tests/client/certificates.h"
#include "tests/client/cli/temporary_file.h"
#include "tests/client/fake_server.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<client::ChannelOptions> Read(const std::vector<std::string>& arguments) {
  ConnectionFlags connection;
  command_line::Flags flags("aaren test", "Tests.");
  connection.AddTo(flags);
  const auto parsed = flags.Parse(arguments);
  return parsed.ok() ? connection.Channel() : parsed.status();
}

std::string ErrorOf(const std::vector<std::string>& arguments) {
  return std::string(Read(arguments).status().message());
}

TEST(ConnectionFlagsTest, PlainTextUnlessAskedOtherwise) {
  EXPECT_EQ(Read({})->credentials.made(), nullptr);
  EXPECT_NE(Read({"--tls"})->credentials.made(), nullptr);
}

TEST(ConnectionFlagsTest, CertificateWithoutKeyIsRefused) {
  EXPECT_EQ(ErrorOf({"--tls_cert=a.pem"}), "--tls_cert=a.pem needs --tls_key=FILE");
  EXPECT_EQ(ErrorOf({"--tls_key=a.pem", "--tls"}), "--tls_key=a.pem needs --tls_cert=FILE");
}

TEST(ConnectionFlagsTest, ServerNameWithoutTlsIsRefused) {
  EXPECT_EQ(ErrorOf({"--tls_server_name=a.test"}), "--tls_server_name needs --tls or --tls_ca=FILE");
}

TEST(ConnectionFlagsTest, MetadataIsNameAndValue) {
  const auto channel = Read({"--metadata=Authorization: Bearer a:b"});
  ASSERT_TRUE(channel.ok());
  EXPECT_EQ(channel->metadata, (client::Metadata{{"authorization", "Bearer a:b"}}));
  EXPECT_EQ(ErrorOf({"--metadata=secret"}), "--metadata is not NAME:VALUE");
}

TEST(ConnectionFlagsTest, TokenIsReadAnewBeforeEveryCall) {
  const TemporaryFile file("first\n");
  const auto channel = Read({"--token_file=" + file.path()});
  ASSERT_TRUE(channel.ok());
  EXPECT_EQ(*channel->metadata_source(), (client::Metadata{{"authorization", "Bearer first"}}));
  file.Write(" second \nthird");
  EXPECT_EQ(*channel->metadata_source(), (client::Metadata{{"authorization", "Bearer second"}}));
}

TEST(ConnectionFlagsTest, TokenThatIsGoneForAMomentIsTriedAgain) {
  const TemporaryFile file("first");
  const auto channel = Read({"--token_file=" + file.path()});
  file.Write("");
  EXPECT_EQ(channel->metadata_source().status().code(), absl::StatusCode::kUnavailable);
}

TEST(ConnectionFlagsTest, TokenFileWithoutATokenIsRefused) {
  const TemporaryFile empty("\n"), odd("a\tb");
  EXPECT_EQ(ErrorOf({"--token_file=" + empty.path()}), empty.path() + " has no token in its first line");
  EXPECT_THAT(ErrorOf({"--token_file=/nowhere"}), HasSubstr("cannot read /nowhere"));
  EXPECT_THAT(ErrorOf({"--token_file=" + odd.path()}), HasSubstr("authorization"));
}

TEST(ConnectionFlagsTest, MetadataIsNotShownToOthers) {
  EXPECT_EQ(ShownCommand(std::vector<std::string>{"--metadata=a:secret", "--json", "--metadata", "b:secret", "--tls"}),
            "--metadata=… --json --metadata … --tls");
}

// A server that speaks TLS only, and asks for a certificate.
class TlsCommandTest : public ::testing::Test {
 protected:
  TlsCommandTest() : ca_(authority_.cert()), server_(Options()) {
    const KeyedCertificate own = authority_.Issue("client.test");
    cert_.Write(own.cert);
    key_.Write(own.key);
  }

  FakeServer::Options Options() const {
    const KeyedCertificate server = authority_.Issue("server.test");
    grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    options.pem_root_certs = authority_.cert();
    options.pem_key_cert_pairs = {{server.key, server.cert}};
    return {.credentials = grpc::SslServerCredentials(options)};
  }

  // Runs a subcommand over TLS, and keeps its output out of the test's.
  int Run(int (*command)(Arguments), std::vector<std::string> arguments) {
    for (const std::string& flag : {absl::StrCat("--target=", server_.target()), absl::StrCat("--tls_ca=", ca_.path()),
                                    absl::StrCat("--tls_cert=", cert_.path()), absl::StrCat("--tls_key=", key_.path()),
                                    std::string("--tls_server_name=server.test")}) {
      arguments.push_back(flag);
    }
    testing::internal::CaptureStdout();
    const int status = command(arguments);
    testing::internal::GetCapturedStdout();
    return status;
  }

  CertificateAuthority authority_;
  TemporaryFile ca_, cert_, key_;
  FakeServer server_;
};

TEST_F(TlsCommandTest, SessionsAsks) {
  server_.Replace("a", 0);
  EXPECT_EQ(Run(RunSessions, {"delete", "a"}), 0);
  EXPECT_FALSE(server_.exists("a"));
}

TEST_F(TlsCommandTest, StreamStreams) {
  TemporaryFile rows("a\n1\n2\n3\n");
  EXPECT_EQ(Run(RunStream, {"--csv=" + rows.path(), "--horizon=2"}), 0);
  EXPECT_EQ(server_.folded(), 3u);
}

TEST_F(TlsCommandTest, EvaluateScores) {
  TemporaryFile rows("a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
  EXPECT_EQ(Run(RunEvaluate, {"--csv=" + rows.path(), "--horizon=2", "--season=1"}), 0);
  EXPECT_GT(server_.folded(), 0u);
}

TEST_F(TlsCommandTest, LoadLoads) {
  EXPECT_EQ(Run(RunLoad, {"--sessions=2", "--streams=1", "--duration=50ms"}), 0);
  EXPECT_EQ(Run(RunLoad, {"--sessions=2", "--duration=50ms"}), 0);
  EXPECT_GT(server_.folded(), 0u);
}

TEST_F(TlsCommandTest, LoadThatCannotBeIsAWrongCommandLine) {
  EXPECT_EQ(Run(RunLoad, {"--sessions=0"}), 2);
  EXPECT_EQ(Run(RunLoad, {"--sessions=2", "--streams=3"}), 2);
}

TEST_F(TlsCommandTest, ModelsAsks) { EXPECT_EQ(Run(RunModels, {"list"}), 0); }

}  // namespace
}  // namespace aaren::cli
