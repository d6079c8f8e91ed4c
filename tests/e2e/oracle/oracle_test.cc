// The oracle accepts a server that keeps its promises, and names each broken promise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/net/rpc/server.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/models/model_watch.h"
#include "server/store/memory_store.h"
#include "tests/e2e/oracle/tampering_proxy.h"
#include "tests/e2e/oracle/trial.h"

namespace aaren::oracle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Deed = TamperingProxy::Deed;

class OracleTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(models::ModelWatch(models_, AAREN_BUNDLED_MODELS).Load().ok());
    rpc::ServerOptions options;
    options.shards = 1;
    auto server = rpc::Server::Start(options, models_, store_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  // The first broken promise in a second of eight sessions; empty: none.
  std::string Broken(const std::string& target, const std::string& journal = "") {
    Trial trial({.target = target,
                 .package = absl::StrCat(AAREN_BUNDLED_MODELS, "/aaren-univariate"),
                 .journal = journal,
                 .sessions = 8,
                 .streams = 2,
                 .rate = 200,
                 .duration = absl::Seconds(1),
                 .patience = absl::Seconds(3)});
    const std::atomic<bool> stop{false};
    const absl::Status status = trial.Run(stop);
    EXPECT_TRUE(status.ok()) << status;
    forecasts_ = trial.account().figures().forecasts;
    return trial.BrokenPromise();
  }

  std::string BrokenBy(Deed deed) {
    TamperingProxy proxy(server_->address(), deed, /*nth=*/50);
    return Broken(proxy.address());
  }

  models::ModelTable models_;
  store::MemoryStore store_;
  std::unique_ptr<rpc::Server> server_;
  uint64_t forecasts_ = 0;
};

TEST_F(OracleTest, ServerThatKeepsItsPromisesIsFoundToKeepThem) {
  EXPECT_EQ(Broken(server_->address()), "");
  EXPECT_GE(forecasts_, 192u);  // a second of 200, and more where the machine is busy
}

TEST_F(OracleTest, ProxyThatChangesNothingBreaksNoPromise) { EXPECT_EQ(BrokenBy(Deed::kNone), ""); }

TEST_F(OracleTest, OneFlippedBitIsNamedWithBothValues) {
  EXPECT_THAT(BrokenBy(Deed::kFlipBit),
              AllOf(HasSubstr("broken promise, seed 1: oracle-1-"), HasSubstr("has other bits than expected"),
                    HasSubstr("step 48, quantile 8"), HasSubstr("1 of 432 values differ")));
}

TEST_F(OracleTest, ForecastThatIsLeftOutIsNamed) {
  EXPECT_THAT(BrokenBy(Deed::kLeaveOut), HasSubstr("left out its reply to token"));
}

TEST_F(OracleTest, SilenceIsNamed) { EXPECT_THAT(BrokenBy(Deed::kSilence), HasSubstr("no forecast for 3s")); }

TEST_F(OracleTest, SecondLifeGoesOnFromTheJournalOfTheFirst) {
  const std::string journal = absl::StrCat(testing::TempDir(), "/oracle_journal_", getpid());
  EXPECT_EQ(Broken(server_->address(), journal), "");
  EXPECT_EQ(Broken(server_->address(), journal), "");
  const auto read = Journal::Open(journal, 8);
  ASSERT_TRUE(read.ok()) << read.status();
  for (const uint64_t delivered : (*read)->delivered()) EXPECT_GT(delivered, 40u);
  std::remove(journal.c_str());
}

// A session of nobody's, for a Witness to be told of.
class WitnessTest : public testing::Test {
 protected:
  void SetUp() override {
    auto session = client_.Open({.id = "s"}, witness_);
    ASSERT_TRUE(session.ok());
    session_ = *std::move(session);
    witness_.Foretell(DigestOf(values_), 0);
    witness_.Foretell(DigestOf(values_), 0);
  }

  std::string Hear(std::initializer_list<uint64_t> seqs) {
    for (const uint64_t seq : seqs) witness_.OnForecast(*session_, {.seq = seq, .values = values_});
    return account_.broken() ? account_.breach()->what : "";
  }

  const std::vector<float> values_ = {1, 2};
  Account account_;
  Witness witness_{"s", 0, /*first=*/0, account_, /*journal=*/nullptr};
  client::Client client_{{.target = "127.0.0.1:1"}};
  std::unique_ptr<client::Session> session_;
};

TEST_F(WitnessTest, ForecastsInOrderBreakNothing) { EXPECT_EQ(Hear({0, 1}), ""); }

TEST_F(WitnessTest, ForecastThatComesTwiceIsNamed) {
  EXPECT_EQ(Hear({0, 0}), "s: the forecast of token 0 came twice; that of token 1 was due");
}

TEST_F(WitnessTest, ForecastThatIsMissingIsNamed) {
  EXPECT_EQ(Hear({1}), "s: the forecast of token 1 came though one before it is missing; that of token 0 was due");
}

TEST_F(WitnessTest, ForecastOfATokenThatWasNotSentIsNamed) {
  EXPECT_EQ(Hear({0, 1, 2}), "s: a forecast of token 2, which was not sent");
}

class JournalTest : public testing::Test {
 protected:
  ~JournalTest() override { std::remove(path_.c_str()); }

  absl::Status Read(const std::vector<uint32_t>& words, const std::string& rest = "") {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size() * 4));
    file << rest;
    file.close();
    const auto journal = Journal::Open(path_, 2);
    if (journal.ok()) delivered_ = (*journal)->delivered();
    return journal.status();
  }

  const std::string path_ = absl::StrCat(testing::TempDir(), "/journal_", getpid());
  std::vector<uint64_t> delivered_;
};

TEST_F(JournalTest, SaysWhereEachSessionGoesOn) {
  ASSERT_TRUE(Read({0, 0, 1, 0, 0, 1}).ok());
  EXPECT_THAT(delivered_, testing::ElementsAre(2, 1));
}

TEST_F(JournalTest, LastRecordThatIsCutIsDropped) {
  ASSERT_TRUE(Read({0, 0}, "cut").ok());
  EXPECT_THAT(delivered_, testing::ElementsAre(1, 0));
}

TEST_F(JournalTest, ForecastThatCameTwiceOverTwoLivesIsNamed) {
  EXPECT_THAT(Read({1, 0, 1, 0}).message(), HasSubstr("session 1 had forecast 0 twice; 1 was due"));
}

TEST_F(JournalTest, ForecastThatIsMissingBetweenTwoLivesIsNamed) {
  EXPECT_THAT(Read({1, 1}).message(), HasSubstr("session 1 had forecast 1 though one was missing; 0 was due"));
}

}  // namespace
}  // namespace aaren::oracle
