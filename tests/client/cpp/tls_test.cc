#include "aaren/client/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "aaren/client/client.h"
#include "absl/synchronization/notification.h"
#include "tests/client/certificates.h"
#include "tests/client/cli/temporary_file.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::HasSubstr;

constexpr char kHost[] = "server.test";

// Hears how the first attempt to connect ended.
class FirstAttempt : public Listener {
 public:
  void OnOpened(Session&, const Opened&) override { End(absl::OkStatus()); }
  void OnForecast(Session&, const Forecast&) override {}
  void OnDisconnected(Session&, const absl::Status& status) override { End(status); }

  absl::Notification ended;
  absl::Status why;  // valid afterwards

 private:
  void End(const absl::Status& status) {
    if (ended.HasBeenNotified()) return;
    why = status;
    ended.Notify();
  }
};

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() {
    ca_.Write(authority_.cert());
    const KeyedCertificate own = authority_.Issue("client.test");
    cert_.Write(own.cert);
    key_.Write(own.key);
  }

  FakeServer::Options Server(grpc_ssl_client_certificate_request_type asks) const {
    const KeyedCertificate server = authority_.Issue(kHost);
    grpc::SslServerCredentialsOptions options(asks);
    options.pem_root_certs = authority_.cert();
    options.pem_key_cert_pairs = {{server.key, server.cert}};
    return {.credentials = grpc::SslServerCredentials(options)};
  }

  // OK if a session over TLS takes tokens; else why the first attempt to connect failed.
  static absl::Status Open(const FakeServer& server, const TlsFiles& files, const std::string& name = kHost) {
    const auto credentials = ReadTls(files);
    if (!credentials.ok()) return credentials.status();
    ClientOptions options = FastOptions(server.target());
    options.channel = {.credentials = *credentials, .server_name = name};
    Client client(options);
    FirstAttempt attempt;
    auto session = client.Open({.id = "a"}, attempt);
    attempt.ended.WaitForNotification();
    return attempt.why.ok() ? FeedAndClose(**session, 20) : attempt.why;
  }

  static std::string ErrorOf(const TlsFiles& files) { return std::string(ReadTls(files).status().message()); }

  CertificateAuthority authority_;
  cli::TemporaryFile ca_, cert_, key_;
};

TEST_F(TlsTest, AServerWhoseCertificateIsSignedByTheAuthorityIsSpokenTo) {
  FakeServer server(Server(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE));
  EXPECT_TRUE(Open(server, {.ca = ca_.path()}).ok());
}

TEST_F(TlsTest, AServerOfAnotherAuthorityIsNot) {
  FakeServer server(Server(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE));
  cli::TemporaryFile other(CertificateAuthority().cert());
  const absl::Status status = Open(server, {.ca = other.path()});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("Ssl handshake failed"));
}

TEST_F(TlsTest, TheSystemsAuthoritiesDoNotKnowATestsServer) {
  FakeServer server(Server(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE));
  EXPECT_THAT(Open(server, {}).message(), HasSubstr("certificate verify failed"));
}

TEST_F(TlsTest, AServerOfAnotherNameIsNotSpokenTo) {
  FakeServer server(Server(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE));
  EXPECT_THAT(Open(server, {.ca = ca_.path()}, "other.test").message(), HasSubstr("Peer name other.test is not in"));
  EXPECT_THAT(Open(server, {.ca = ca_.path()}, /*name=*/"").message(), HasSubstr("Peer name 127.0.0.1 is not in"));
}

TEST_F(TlsTest, AServerThatAsksWhoCallsIsTold) {
  FakeServer server(Server(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY));
  EXPECT_TRUE(Open(server, {.ca = ca_.path(), .cert = cert_.path(), .key = key_.path()}).ok());
  EXPECT_EQ(Open(server, {.ca = ca_.path()}).code(), absl::StatusCode::kUnavailable);
}

TEST_F(TlsTest, AFileThatIsNotThereIsNamed) {
  EXPECT_THAT(ErrorOf({.ca = "/nowhere/ca.pem"}), HasSubstr("cannot read /nowhere/ca.pem: No such file"));
  EXPECT_THAT(ErrorOf({.ca = "/tmp"}), HasSubstr("cannot read /tmp"));
}

TEST_F(TlsTest, AFileThatHoldsSomethingElseIsNamed) {
  EXPECT_EQ(ErrorOf({.ca = key_.path()}), key_.path() + " holds no certificate in PEM format");
  EXPECT_THAT(ErrorOf({.cert = cert_.path(), .key = cert_.path()}), HasSubstr(cert_.path() + " holds no private key"));
}

TEST_F(TlsTest, AKeyOfAnotherCertificateIsNamed) {
  cli::TemporaryFile other(authority_.Issue("other.test").key);
  EXPECT_EQ(ErrorOf({.cert = cert_.path(), .key = other.path()}),
            other.path() + " is not the key of the certificate " + cert_.path());
}

TEST_F(TlsTest, ACertificateNeedsItsKeyAndAKeyItsCertificate) {
  EXPECT_EQ(ErrorOf({.cert = cert_.path()}), "the certificate " + cert_.path() + " needs its key");
  EXPECT_EQ(ErrorOf({.key = key_.path()}), "the key " + key_.path() + " needs its certificate");
}

}  // namespace
}  // namespace aaren::client
