// The callers of the admin address: the admins of a single tenant, known as on the public address.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "server/net/tls/credentials.h"
#include "tests/client/certificates.h"
#include "tests/server/operate/admin/admin_serving.h"

namespace aaren::admin {
namespace {

using ::grpc::StatusCode;

// The sha256sum of "stream-token", "admin-token", "other-token".
constexpr char kCallers[] = R"(
ops stream sha256:8929ba67483f306170512dee064c1a5d009b1fca7daafb86e902b82b0a2e7c7b
ops admin sha256:10a4c7c9fc5206d6f36dc6944a81bb6f4a3cb0e25014ae3b12e6c3e52712292a
other admin sha256:6c67163bbed989f232b31acc4f04df54b31285bfc01bd022c735b71e041a4754
ops admin name:ops.example
other admin name:other.example
)";

class AdminSecurityTest : public AdminServing {
 protected:
  AdminSecurityTest() : folder_(absl::StrCat(testing::TempDir(), "/admin_security_", getpid())) {
    std::filesystem::create_directories(folder_);
    callers_ = std::make_unique<identity::Callers>(identity::RosterFile::Open(Write("callers", kCallers)).value(),
                                                   nullptr, identity::WebTokenRules());
    config_.set_admin_tenant("ops");
  }
  ~AdminSecurityTest() override {
    admin_.reset();  // the server needs the list of callers to the end
    std::filesystem::remove_all(folder_);
  }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = absl::StrCat(folder_, "/", name);
    std::ofstream(path, std::ios::trunc) << text;
    return path;
  }

  StatusCode Ask(const std::string& token) const {
    v1::ListShardsResponse response;
    return AdminServing::Ask(&Stub::ListShards, v1::ListShardsRequest(), response, token).error_code();
  }

  // Over TLS, with a certificate of the client's own.
  StatusCode AskAs(const KeyedCertificate& own) {
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride("localhost");
    channel_ = grpc::CreateCustomChannel(admin_->address(),
                                         grpc::SslCredentials({authority_.cert(), own.key, own.cert}), arguments);
    return Ask("");
  }

  const std::string folder_;
  const CertificateAuthority authority_;
  std::unique_ptr<identity::Callers> callers_;
};

TEST_F(AdminSecurityTest, AnAdminOfTheTenantMayAsk) {
  StartAdmin({.callers = callers_.get()});
  EXPECT_EQ(Ask("admin-token"), StatusCode::OK);
}

TEST_F(AdminSecurityTest, AnotherRoleMayNot) {
  StartAdmin({.callers = callers_.get()});
  EXPECT_EQ(Ask("stream-token"), StatusCode::PERMISSION_DENIED);
}

TEST_F(AdminSecurityTest, AnAdminOfAnotherTenantMayNot) {
  StartAdmin({.callers = callers_.get()});
  EXPECT_EQ(Ask("other-token"), StatusCode::PERMISSION_DENIED);
}

TEST_F(AdminSecurityTest, NobodyKnownMayNot) {
  StartAdmin({.callers = callers_.get()});
  EXPECT_EQ(Ask("banana"), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Ask(""), StatusCode::UNAUTHENTICATED);
}

TEST_F(AdminSecurityTest, OnAUnixSocketTokensCountAsWell) {
  config_.set_admin_address(absl::StrCat("unix:", folder_, "/socket"));
  StartAdmin({.callers = callers_.get()});
  EXPECT_EQ(Ask("admin-token"), StatusCode::OK);
  EXPECT_EQ(Ask("other-token"), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Ask("banana"), StatusCode::UNAUTHENTICATED);
}

TEST_F(AdminSecurityTest, ACertificateSaysWhoAsks) {
  const KeyedCertificate pair = authority_.Issue("localhost");
  const auto credentials = tls::MakeCredentials(
      {Write("cert.pem", pair.cert), Write("key.pem", pair.key), Write("ca.pem", authority_.cert())});
  ASSERT_TRUE(credentials.ok()) << credentials.status();
  StartAdmin({.credentials = *credentials, .callers = callers_.get()});
  EXPECT_EQ(Ask("admin-token"), StatusCode::UNAVAILABLE);  // in plain text
  EXPECT_EQ(AskAs(authority_.Issue("ops.example")), StatusCode::OK);
  EXPECT_EQ(AskAs(authority_.Issue("other.example")), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(AskAs(authority_.Issue("nobody.example")), StatusCode::UNAUTHENTICATED);
}

}  // namespace
}  // namespace aaren::admin
