// The results of saves, without a shard, a registrar or a store.

#include "server/sessions/save/saves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/sessions/shard/world/bare_stream.h"
#include "tests/server/sessions/shard/world/fake_engine.h"
#include "tests/server/sessions/shard/world/test_clock.h"

namespace aaren::save {
namespace {

using ::testing::ElementsAre;
using Event = shard::FakePeer::Event;

// A shard's one session.
struct OneSession final : SavedSessions {
  session::Session* Find(absl::string_view) override { return session; }
  session::Session* FindSettled(absl::string_view) override { return session; }
  bool stepping() const override { return in_step; }
  void Settle(session::Session& settled) override { saver->Settle(settled, now_ms); }
  void Stall(session::Session& stalled) override { stalled.stalled = true; }
  void EndStall(session::Session& stalled) override { stalled.stalled = false; }
  void Lose(session::Session&, uint64_t epoch) override { lost_to = epoch; }

  session::Session* session = nullptr;
  Saver* saver = nullptr;
  int64_t now_ms = 0;
  bool in_step = false;
  uint64_t lost_to = 0;
};

class SavesTest : public testing::Test {
 protected:
  SavesTest() {
    const models::LoadedModel& model = *models_->models().front();
    session::Session& session = stream_.Open(model);
    session.rows = *rows_.Allocate(model, 1);
    EXPECT_TRUE(rows_.Reset(model, 1, session.rows).ok());
    session.point.seq = 5;
    sessions_.session = &session;
    sessions_.saver = &saver_;
    sessions_.now_ms = clock_.NowNanos() / 1'000'000;
  }

  session::Session& session() { return *sessions_.session; }

  // Starts a save of the session after the session became due.
  void StartSave() {
    saver_.Settle(session(), sessions_.now_ms);
    clock_.Advance(absl::Milliseconds(500));
    saves_.Start();
  }

  static SaveResult Result(absl::Status status = absl::OkStatus(), uint64_t epoch = 0) {
    return {"default/s0", 0, 5, /*only=*/true, {std::move(status), epoch}};
  }

  std::unique_ptr<models::ModelTable> models_ = shard::FakeModels();
  shard::TestClock clock_;
  session::RowPool rows_{16};
  session::SessionLists lists_;
  queue::TokenQueue queue_{1 << 20};
  shard::BareStream stream_{queue_};
  SaveCounters counters_;
  Saver saver_{{absl::Milliseconds(500), {}, {}}, rows_, lists_};
  OneSession sessions_;
  std::vector<uint64_t> sent_;
  Saves saves_{{sessions_, saver_, queue_, counters_, clock_}, 8, [this](const std::vector<store::SaveWrite>& batch) {
                 for (const store::SaveWrite& write : batch) sent_.push_back(write.save.point.seq);
               }};
};

TEST_F(SavesTest, ADueSessionIsSent) {
  StartSave();
  EXPECT_THAT(sent_, ElementsAre(5));
}

TEST_F(SavesTest, WhileAStepIsUnderWaySavesWaitForItsEnd) {
  sessions_.in_step = true;
  StartSave();
  EXPECT_TRUE(sent_.empty());
  sessions_.in_step = false;
  saves_.OnStepEnded();
  EXPECT_THAT(sent_, ElementsAre(5));
}

TEST_F(SavesTest, AStoredSaveIsDurableAndTold) {
  StartSave();
  saves_.Done({Result()});
  EXPECT_EQ(session().durable_seq, 5u);
  EXPECT_EQ(stream_.peer.Last().kind, Event::kAcked);
  EXPECT_EQ(stream_.peer.Last().durable_seq, 5u);
  EXPECT_EQ(session().list, session::Session::List::kQuiet);
}

TEST_F(SavesTest, AResultOfAnEarlierIncarnationChangesNothing) {
  StartSave();
  session().incarnation = 2;
  saves_.Done({Result()});
  EXPECT_EQ(session().durable_seq, 0u);
  EXPECT_TRUE(session().save_in_flight);
}

TEST_F(SavesTest, AFailedSaveIsTriedAgainAnIntervalLater) {
  StartSave();
  saves_.Done({Result(absl::UnavailableError("away"))});
  EXPECT_EQ(counters_.saves_retried.value(), 1u);
  saves_.Start();
  EXPECT_EQ(sent_.size(), 1u);
  clock_.Advance(absl::Milliseconds(500));
  saves_.Start();
  EXPECT_EQ(sent_.size(), 2u);
}

TEST_F(SavesTest, ASessionOfAnotherServerIsLostToItsEpoch) {
  StartSave();
  saves_.Done({Result(absl::AbortedError("another writer"), 9)});
  EXPECT_EQ(sessions_.lost_to, 9u);
}

TEST_F(SavesTest, TheReplyThatWaitedForASaveIsSentWithIt) {
  session().durability = session::SessionDurability::kEveryToken;
  stream_.Push(session(), 1);
  queue::StepRoom room{.units = 64, .values = 64, .forecasts = 64};
  (void)queue_.turns().Grant(room);
  queue_.TakeTokens(*session().flow, 1);
  const std::vector<float> result(session().model->engine->result_floats(), 0.5f);
  queue::HeldReply& reply = queue_.replies().Hold(session());
  reply.first_seq = 4;
  reply.next_seq = 5;
  reply.results = 1;
  reply.forecasts = result;
  queue_.EndStep();
  StartSave();
  saves_.Done({Result()});
  EXPECT_EQ(stream_.peer.Last().kind, Event::kForecasts);
  EXPECT_EQ(stream_.peer.Last().values, result);
  EXPECT_EQ(stream_.peer.Last().durable_seq, 5u);
  EXPECT_EQ(session().flow, nullptr);
}

TEST_F(SavesTest, ASessionWithTooManyUnsavedTokensStallsItsStream) {
  EXPECT_FALSE(saves_.MustWait(session()));
  session().point.seq = 8;
  EXPECT_TRUE(saves_.MustWait(session()));
  EXPECT_TRUE(session().stalled);
  session().unsavable = true;
  EXPECT_FALSE(saves_.MustWait(session())) << "no save will be taken";
}

}  // namespace
}  // namespace aaren::save
