#include "server/accept/client_hello.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace aaren::accept {
namespace {

// The first bytes of OpenSSL's client.
std::string ClientHelloOfOpenSsl() {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), SSL_free);
  BIO* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), out);  // frees `out`
  SSL_connect(ssl.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);  // NOLINT(google-runtime-int): OpenSSL's
  return {data, static_cast<size_t>(size)};
}

// A record of the handshake, with the version TLS 1.0 of every first record.
std::string Record(const std::string& content) {
  return std::string{22, 3, 1, static_cast<char>(content.size() >> 8), static_cast<char>(content.size())} + content;
}

class ClientHelloTest : public testing::Test {
 protected:
  const std::string hello_ = ClientHelloOfOpenSsl();
};

TEST_F(ClientHelloTest, OfOpenSslIsWhole) { EXPECT_EQ(LookForClientHello(hello_), ClientHello::kWhole); }

TEST_F(ClientHelloTest, IsWholeWithWhatFollowsIt) {
  EXPECT_EQ(LookForClientHello(hello_ + "anything"), ClientHello::kWhole);
}

TEST_F(ClientHelloTest, LacksAPartUntilItsLastByte) {
  for (size_t size = 0; size < hello_.size(); ++size) {
    EXPECT_EQ(LookForClientHello({hello_.data(), size}), ClientHello::kPart) << size;
  }
}

TEST_F(ClientHelloTest, MayLieInARecordForEachByte) {
  std::string records;
  for (const char byte : hello_.substr(5)) {
    EXPECT_EQ(LookForClientHello(records), ClientHello::kPart);
    records += Record({byte});
  }
  EXPECT_EQ(LookForClientHello(records), ClientHello::kWhole);
}

TEST_F(ClientHelloTest, OfTheLongestIsReadAndALongerOneIsNot) {
  const auto of_length = [](size_t length) {
    return std::string{1, 0, static_cast<char>(length >> 8), static_cast<char>(length)};
  };
  EXPECT_EQ(LookForClientHello(Record(of_length(kLongestClientHello - 4))), ClientHello::kPart);
  EXPECT_EQ(LookForClientHello(Record(of_length(kLongestClientHello - 3))), ClientHello::kTooLong);
}

TEST_F(ClientHelloTest, IsNotWhatAClientWithoutTlsSays) {
  EXPECT_EQ(LookForClientHello("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ClientHello::kNone);
}

TEST_F(ClientHelloTest, IsNoOtherMessageOfAHandshake) {
  EXPECT_EQ(LookForClientHello(Record({2, 0, 0, 0})), ClientHello::kNone);
}

TEST_F(ClientHelloTest, IsNoRecordWithoutContent) { EXPECT_EQ(LookForClientHello(Record("")), ClientHello::kNone); }

}  // namespace
}  // namespace aaren::accept
