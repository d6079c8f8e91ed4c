#include "server/net/tls/tls_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "tests/client/certificates.h"

namespace aaren::tls {
namespace {

using ::testing::HasSubstr;

std::string TextAt(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TlsCopyTest : public testing::Test {
 protected:
  TlsCopyTest() {
    std::filesystem::create_directories(folder_);
    Write(files_.cert, before_.cert);
    Write(files_.key, before_.key);
    Write(files_.client_ca, authority_.cert());
    copy_ = TlsCopy::Open(files_).value();
  }
  ~TlsCopyTest() override { std::filesystem::remove_all(folder_); }

  static void Write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::trunc) << text; }

  // Looks at the files, expects an unchanged copy, and returns the error.
  std::string WhyItStays() {
    const std::string pair = TextAt(copy_->pair_path()), client_ca = TextAt(copy_->client_ca_path());
    const std::string why(copy_->Refresh().message());
    EXPECT_EQ(TextAt(copy_->pair_path()), pair);
    EXPECT_EQ(TextAt(copy_->client_ca_path()), client_ca);
    return why;
  }

  const std::string folder_ = absl::StrCat(testing::TempDir(), "/tls_copy_", getpid());
  const TlsFiles files_ = {folder_ + "/cert.pem", folder_ + "/key.pem", folder_ + "/clients.pem"};
  const CertificateAuthority authority_;
  const KeyedCertificate before_ = authority_.Issue("localhost"), after_ = authority_.Issue("localhost");
  std::unique_ptr<TlsCopy> copy_;
};

TEST_F(TlsCopyTest, HoldsKeyCertificateAndAuthority) {
  EXPECT_THAT(TextAt(copy_->pair_path()), HasSubstr(before_.key));
  EXPECT_THAT(TextAt(copy_->pair_path()), HasSubstr(before_.cert));
  EXPECT_EQ(TextAt(copy_->client_ca_path()), authority_.cert());
}

TEST_F(TlsCopyTest, TakesUpFilesThatFitTogether) {
  Write(files_.cert, after_.cert);
  Write(files_.key, after_.key);
  ASSERT_TRUE(copy_->Refresh().ok());
  EXPECT_THAT(TextAt(copy_->pair_path()), HasSubstr(after_.key));
  EXPECT_THAT(TextAt(copy_->pair_path()), HasSubstr(after_.cert));
}

TEST_F(TlsCopyTest, StaysWhileTheKeyIsThatOfAnotherCertificate) {
  Write(files_.cert, after_.cert);
  EXPECT_THAT(WhyItStays(), HasSubstr(files_.key + " is not the key of"));
  Write(files_.key, after_.key);
  EXPECT_TRUE(copy_->Refresh().ok());
}

TEST_F(TlsCopyTest, StaysWhileTheCertificateIsNotValidYetOrNoLonger) {
  for (const auto& [begin, end, why] :
       {std::tuple(1800L, 3600L, " is not valid yet"), {-3600L, -1800L, " has expired"}}) {
    const KeyedCertificate other = authority_.Issue("localhost", begin, end);
    Write(files_.cert, other.cert);
    Write(files_.key, other.key);
    EXPECT_THAT(WhyItStays(), HasSubstr(files_.cert + why));
  }
}

TEST_F(TlsCopyTest, StaysWhileACertificateIsWrittenInPart) {
  Write(files_.cert, before_.cert.substr(0, before_.cert.size() / 2));
  EXPECT_THAT(WhyItStays(), HasSubstr(files_.cert + " holds no certificate"));
  Write(files_.cert, before_.cert + before_.cert.substr(0, before_.cert.size() / 2));
  EXPECT_THAT(WhyItStays(), HasSubstr(files_.cert + " holds no certificate"));
}

TEST_F(TlsCopyTest, StaysWhileTheClientsAuthorityIsNone) {
  Write(files_.client_ca, "to be written");
  EXPECT_THAT(WhyItStays(), HasSubstr(files_.client_ca + " holds no certificate"));
}

TEST_F(TlsCopyTest, StaysWhileAFileIsGone) {
  std::filesystem::remove(files_.key);
  EXPECT_THAT(WhyItStays(), HasSubstr("cannot read " + files_.key));
}

}  // namespace
}  // namespace aaren::tls
