#include "server/store/punctual_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "server/operate/log/log.h"
#include "tests/server/store/hanging_store.h"

namespace aaren::store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr absl::Duration kPatience = absl::Seconds(10);

// The lines of the log while a Printed lives.
class Printed {
 public:
  Printed() { testing::internal::CaptureStderr(); }
  std::string End() { return testing::internal::GetCapturedStderr(); }
};

class PunctualStoreTest : public testing::Test {
 protected:
  // Begins a write. Answers go to answers_.
  void Try() {
    store_.TryWrite([this](const absl::Status& status) { answers_.push_back(status.code()); });
  }
  void Save() {
    std::vector<SaveWrite> saves(1);
    saves[0].header.epoch = 1;
    store_.Save(std::move(saves),
                [this](const std::vector<WriteResult>& results) { answers_.push_back(results.at(0).status.code()); });
  }
  void Pass(absl::Duration time) {
    now_ += time;
    store_.Look();
  }

  absl::Time now_ = absl::FromUnixSeconds(1000);
  HangingStore below_;
  PunctualStore store_{below_, kPatience, [this] { return now_; }};
  std::vector<absl::StatusCode> answers_;
};

TEST_F(PunctualStoreTest, ACallIsGivenUpWhenPatienceIsOver) {
  below_.Hang();
  Try();
  Pass(kPatience - absl::Seconds(1));
  EXPECT_TRUE(store_.health().available());
  EXPECT_THAT(answers_, ElementsAre());
  Pass(absl::Seconds(1));
  EXPECT_THAT(answers_, ElementsAre(absl::StatusCode::kUnavailable));
  EXPECT_EQ(store_.health().AwayFor(now_), kPatience);  // since the call
}

TEST_F(PunctualStoreTest, ThoseThatWaitBesideItAreGivenUpWithIt) {
  below_.Hang();
  Try();
  now_ += kPatience / 2;
  store_.Find("t/a", [this](const auto& record) { answers_.push_back(record.status().code()); });
  Pass(kPatience / 2);
  EXPECT_EQ(answers_.size(), 2u);
}

TEST_F(PunctualStoreTest, CallsToComeAreRefusedAndDoNotReachTheStore) {
  below_.Hang();
  Try();
  Pass(kPatience);
  const size_t held = below_.held();
  for (int i = 0; i < 100; ++i) Try();
  EXPECT_EQ(answers_.size(), 101u);
  EXPECT_EQ(below_.held(), held);
}

TEST_F(PunctualStoreTest, ALateAnswerIsDroppedAndNoSignOfHealth) {
  below_.Hang();
  Try();
  Pass(kPatience);
  below_.GoOn();
  EXPECT_EQ(answers_.size(), 1u);
  EXPECT_FALSE(store_.health().available());
}

TEST_F(PunctualStoreTest, AnAnswerInTimeBringsItBack) {
  below_.Hang();
  Try();
  Pass(kPatience);
  below_.GoOn();
  Try();
  EXPECT_EQ(answers_.back(), absl::StatusCode::kOk);
  EXPECT_TRUE(store_.health().available());
  EXPECT_EQ(store_.health().outages().value(), 1u);
}

TEST_F(PunctualStoreTest, AnAnswerInTimeIsNoHealthWhileAnotherIsLate) {
  below_.Hang();
  Save();
  Pass(kPatience);
  below_.HoldNoMore();
  Save();
  EXPECT_EQ(answers_.size(), 1u);
  EXPECT_FALSE(store_.health().available());
}

TEST_F(PunctualStoreTest, ASaveIsAnsweredHoweverLate) {
  below_.Hang();
  Save();
  Pass(3 * kPatience);
  EXPECT_FALSE(store_.health().available());
  below_.GoOn();
  EXPECT_THAT(answers_, ElementsAre(absl::StatusCode::kAborted));  // no such session
  EXPECT_FALSE(store_.health().available());
}

TEST_F(PunctualStoreTest, AStoreThatIsAlwaysLateIsAway) {
  below_.Hang();
  Save();
  now_ += kPatience + absl::Milliseconds(1);
  below_.GoOn();  // before anybody looked
  EXPECT_FALSE(store_.health().available());
}

TEST_F(PunctualStoreTest, TheLogTellsOnceThatItDoesNotAnswerAndOnceThatItDoes) {
  log::SetUpLog(log::LogFormat::kText, log::LogLevel::kInfo);
  Printed printed;
  below_.Hang();
  Try();
  for (int second = 0; second < 60; ++second) Pass(absl::Seconds(1));
  const std::string silent = printed.End();
  EXPECT_THAT(silent, AllOf(HasSubstr("the store does not answer"), HasSubstr("hanging")));
  EXPECT_EQ(std::count(silent.begin(), silent.end(), '\n'), 1);
  Printed again;
  below_.GoOn();
  Try();
  Try();
  const std::string back = again.End();
  EXPECT_THAT(back, HasSubstr("the store answers again"));
  EXPECT_EQ(std::count(back.begin(), back.end(), '\n'), 1);
  log::SetUpLog(log::LogFormat::kText, log::LogLevel::kWarning);
}

TEST_F(PunctualStoreTest, TheLogTellsOnceThatTheStoreIsFullAndOnceThatItHasRoom) {
  log::SetUpLog(log::LogFormat::kText, log::LogLevel::kInfo);
  Printed printed;
  below_.SetFull(true);
  for (int second = 0; second < 300; ++second) {
    Try();
    Pass(absl::Seconds(1));
    if (second % 2 == 0) Save();  // needs no room
  }
  const std::string full = printed.End();
  EXPECT_THAT(full, AllOf(HasSubstr("the store is full"), HasSubstr("hanging"), HasSubstr("no room")));
  EXPECT_EQ(std::count(full.begin(), full.end(), '\n'), 1);
  EXPECT_TRUE(store_.health().available());
  Printed again;
  below_.SetFull(false);
  for (int second = 0; second < 100; ++second) {
    Pass(absl::Seconds(1));
    Try();
  }
  const std::string room = again.End();
  EXPECT_THAT(room, HasSubstr("the store has room again"));
  EXPECT_EQ(std::count(room.begin(), room.end(), '\n'), 1);
  log::SetUpLog(log::LogFormat::kText, log::LogLevel::kWarning);
}

TEST_F(PunctualStoreTest, AnswersThatComeWhenItIsGoneHurtNobody) {
  {
    PunctualStore gone(below_, kPatience, [this] { return now_; });
    below_.Hang();
    gone.TryWrite([](const absl::Status&) {});
    now_ += kPatience;
    gone.Look();
  }
  below_.GoOn();
}

}  // namespace
}  // namespace aaren::store
