// A Redis with TLS. Skipped without redis-server.

#include "server/store/redis/redis_tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

#include "tests/client/certificates.h"
#include "tests/server/store/redis/redis_store_fixture.h"

namespace aaren::store {
namespace {

using ::testing::HasSubstr;

class RedisTlsTest : public RedisStoreTest {
 protected:
  void SetUp() override {
    if (RedisServer::Installed().empty()) GTEST_SKIP() << "redis-server is not installed";
    std::filesystem::create_directories(folder_);
    const KeyedCertificate redis = authority_.Issue("localhost"), own = authority_.Issue("server");
    Write("ca", authority_.cert());
    Write("cert", redis.cert);
    Write("key", redis.key);
    Write("own", own.cert);
    Write("own_key", own.key);
    const absl::StatusOr<std::vector<int>> sockets = address::ListenOn({"127.0.0.1", 0}, 1);
    port_ = address::PortOf(sockets->front());
    for (const int socket : *sockets) close(socket);
    redis_ = std::make_unique<RedisServer>(
        std::vector<std::string>{"--tls-port", absl::StrCat(port_), "--tls-cert-file", Path("cert"), "--tls-key-file",
                                 Path("key"), "--tls-ca-cert-file", Path("ca"), "--tls-auth-clients", "optional"});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& text) const { std::ofstream(Path(name)) << text; }

  // Locks the file's key with a passphrase.
  void WriteLockedKey(const std::string& name, const std::string& passphrase) const {
    const std::unique_ptr<BIO, decltype(&BIO_free)> read(BIO_new_file(Path(name).c_str(), "r"), &BIO_free);
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        PEM_read_bio_PrivateKey(read.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
    const std::unique_ptr<BIO, decltype(&BIO_free)> locked(BIO_new_file(Path(name).c_str(), "w"), &BIO_free);
    ASSERT_EQ(PEM_write_bio_PKCS8PrivateKey(locked.get(), key.get(), EVP_aes_256_cbc(), passphrase.data(),
                                            static_cast<int>(passphrase.size()), nullptr, nullptr),
              1);
  }

  RedisOptions Secured(const std::string& host = "localhost") const {
    RedisOptions options = redis_->options();
    options.addresses = {{host, port_}};
    options.timeout = absl::Seconds(2);
    options.tls.ca = Path("ca");
    return options;
  }

  const CertificateAuthority authority_;
  const std::string folder_ = testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
  int port_ = 0;
};

TEST_F(RedisTlsTest, KeepsSessionsOfAnySize) {
  BlockingStore store = Open(Secured());
  SessionRecord record = RecordAt("t/a", 1);
  record.saves.push_back({{7, {}}, std::string(3 << 20, 'x')});
  ASSERT_TRUE(store.Acquire(record, 0).status.ok());
  const absl::StatusOr<SessionRecord> loaded = store.Load("t/a");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->saves[0].rows, record.saves[0].rows);
}

TEST_F(RedisTlsTest, ARedisThatComesBackIsConnectedAgain) {
  BlockingStore store = Open(Secured());
  redis_->Kill();
  redis_->Start();
  AwaitCalls(store);
  EXPECT_GE(store_->reconnects(), 1u);
}

TEST_F(RedisTlsTest, RestartsUnderLoadAnswerEveryCallOnceAndKeepAnsweredWrites) {
  constexpr int kCalls = 3000;
  BlockingStore store = Open(Secured());
  std::vector<std::future<WriteResult>> answers;
  std::thread load([&] {
    for (int i = 0; i < kCalls; ++i) {
      auto answer = std::make_shared<std::promise<WriteResult>>();
      answers.push_back(answer->get_future());
      Acquisition acquisition;
      acquisition.record = RecordAt(absl::StrCat("t/", i), 1);
      acquisition.record.saves.push_back({{7, {}}, std::string(8192, 'x')});
      // A second answer would throw.
      store_->Acquire(std::move(acquisition), [answer](WriteResult result) { answer->set_value(std::move(result)); });
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  for (int restart = 0; restart < 3; ++restart) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    redis_->Kill();
    redis_->Start();
  }
  load.join();
  AwaitCalls(store);
  int done = 0;
  for (int i = 0; i < kCalls; ++i) {
    if (!answers[static_cast<size_t>(i)].get().status.ok()) continue;
    ++done;
    const absl::StatusOr<SessionRecord> loaded = store.Load(absl::StrCat("t/", i));
    ASSERT_TRUE(loaded.ok()) << i << loaded.status();
    EXPECT_EQ(loaded->saves.at(0).rows.size(), 8192u);
  }
  EXPECT_GT(done, 0);
  EXPECT_GE(store_->reconnects(), 1u);
}

TEST_F(RedisTlsTest, TheCertificateHasToBeOfTheHost) {
  EXPECT_THAT(MessageOf(WhyNot(Secured("127.0.0.1"))),
              HasSubstr("TLS: its certificate is refused: IP address mismatch"));
}

TEST_F(RedisTlsTest, TheCertificateHasToBeSignedByTheAuthority) {
  Write("ca2", CertificateAuthority().cert());
  RedisOptions options = Secured();
  options.tls.ca = Path("ca2");
  EXPECT_THAT(MessageOf(WhyNot(options)), HasSubstr("TLS: its certificate is refused: "));
}

TEST_F(RedisTlsTest, ARedisMayAskForTheServersCertificate) {
  ASSERT_EQ(redis_->Command({"CONFIG", "SET", "tls-auth-clients", "yes"}), "OK");
  EXPECT_FALSE(WhyNot(Secured()).ok());
  RedisOptions options = Secured();
  options.tls.cert = Path("own");
  options.tls.key = Path("own_key");
  EXPECT_TRUE(Open(options).ReserveEpochs(1).ok());
}

TEST_F(RedisTlsTest, ARedisWithoutTlsIsNamed) {
  RedisOptions options = Secured();
  options.addresses = {{"localhost", redis_->port()}};
  options.timeout = absl::Milliseconds(300);
  EXPECT_THAT(MessageOf(WhyNot(options)), HasSubstr(" speak"));
}

TEST_F(RedisTlsTest, ARedisThatWantsTlsIsNamed) {
  RedisOptions options = Secured();
  options.tls = {};
  EXPECT_THAT(MessageOf(WhyNot(options)), HasSubstr("it may want TLS, for which redis_ca is given"));
}

TEST_F(RedisTlsTest, AFileThatCannotBeUsedIsNamed) {
  RedisOptions options = Secured();
  options.tls.ca = Path("nothing");
  EXPECT_EQ(WhyNot(options).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(MessageOf(WhyNot(options)), HasSubstr("redis_ca: cannot use " + Path("nothing")));
  options = Secured();
  options.tls.cert = options.tls.key = Path("ca");
  EXPECT_THAT(MessageOf(WhyNot(options)), HasSubstr("redis_key: cannot use " + Path("ca")));
}

// Standard input in place of a terminal: OpenSSL reads there where no terminal is.
TEST_F(RedisTlsTest, NobodyIsAskedForAPassphrase) {
  WriteLockedKey("own_key", "secret");
  int input[2];
  ASSERT_EQ(pipe(input), 0);
  ASSERT_EQ(write(input[1], "secret\n", 7), 7);
  const int before = dup(STDIN_FILENO);
  dup2(input[0], STDIN_FILENO);
  RedisOptions options = Secured();
  options.tls.cert = Path("own");
  options.tls.key = Path("own_key");
  const absl::Status status = WhyNot(options);
  dup2(before, STDIN_FILENO);
  for (const int file : {input[0], input[1], before}) close(file);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(MessageOf(status), HasSubstr("redis_key: cannot use " + Path("own_key") + " (it has a passphrase)"));
}

TEST_F(RedisTlsTest, SettingsThatNeedOneAnotherAreRefusedApart) {
  RedisOptions options = Secured();
  options.tls.cert = Path("own");
  EXPECT_EQ(CheckRedisOptions(options).message(), "redis_cert, redis_key: one needs the other");
  options.tls.key = Path("own_key");
  options.tls.ca = "";
  EXPECT_THAT(MessageOf(CheckRedisOptions(options)), HasSubstr("redis_cert: needs redis_ca"));
}

}  // namespace
}  // namespace aaren::store
