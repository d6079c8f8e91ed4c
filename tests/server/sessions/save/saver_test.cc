// Due, waiting and durable saves, decided from numbers: no shard, no store, no sleep.

#include "server/sessions/save/saver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/sessions/shard/world/bare_stream.h"
#include "tests/server/sessions/shard/world/fake_engine.h"

namespace aaren::save {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kNow = 1'000'000;  // ms
constexpr int64_t kIntervalMs = 500;

class SaverTest : public testing::Test {
 protected:
  explicit SaverTest(absl::Duration interval = absl::Milliseconds(kIntervalMs), absl::Duration ttl = {})
      : saver_({interval, ttl, Lease{"here:1", absl::Seconds(11)}}, rows_, lists_) {}

  // An attached session with unsaved tokens.
  session::Session& OpenUnsaved(uint64_t seq = 5) {
    const models::LoadedModel& model = *models_->models().front();
    session::Session& session = stream_.Open(model);
    session.rows = *rows_.Allocate(model, 1);
    EXPECT_TRUE(rows_.Reset(model, 1, session.rows).ok());
    session.point.seq = seq;
    session.epoch = 7;
    return session;
  }

  std::vector<uint64_t> StartAt(int64_t now_ms) {
    sent_ = *saver_.TakeBatch(now_ms);
    std::vector<uint64_t> seqs;
    for (const store::SaveWrite& write : sent_) seqs.push_back(write.save.point.seq);
    return seqs;
  }

  static SaveResult Written(uint64_t seq, bool only) { return {"default/s0", 0, seq, only, {}}; }

  std::unique_ptr<models::ModelTable> models_ = shard::FakeModels();
  session::RowPool rows_{16};
  session::SessionLists lists_;
  queue::TokenQueue queue_{1 << 20};
  shard::BareStream stream_{queue_};
  std::vector<store::SaveWrite> sent_;
  Saver saver_;
};

TEST_F(SaverTest, AnAttachedSessionIsDueAnIntervalAfterItsFirstUnsavedToken) {
  session::Session& session = OpenUnsaved();
  ASSERT_TRUE(saver_.NeedsSave(session));
  saver_.Settle(session, kNow);
  EXPECT_THAT(StartAt(kNow + kIntervalMs - 1), IsEmpty());
  EXPECT_THAT(StartAt(kNow + kIntervalMs), ElementsAre(5));
  EXPECT_TRUE(session.save_in_flight);
}

TEST_F(SaverTest, ADetachedSessionIsDueAtOnce) {
  session::Session& session = OpenUnsaved();
  session.stream = nullptr;
  saver_.Settle(session, kNow);
  EXPECT_THAT(StartAt(kNow), ElementsAre(5));
}

TEST_F(SaverTest, OneBatchIsUnderWayAtATime) {
  session::Session &first = OpenUnsaved(1), &second = OpenUnsaved(2);
  first.stream = second.stream = nullptr;
  saver_.Settle(first, kNow);
  EXPECT_THAT(StartAt(kNow), ElementsAre(1));
  saver_.Settle(second, kNow);
  EXPECT_THAT(StartAt(kNow), IsEmpty());
  saver_.BatchDone();
  EXPECT_THAT(StartAt(kNow), ElementsAre(2));
}

TEST_F(SaverTest, ASaveOfAnAttachedSessionSaysWhereItsStreamIs) {
  saver_.Settle(OpenUnsaved(), kNow);
  (void)StartAt(kNow + kIntervalMs);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].header.server, "here:1");
  EXPECT_EQ(sent_[0].header.leased_until, absl::FromUnixMillis(kNow + kIntervalMs) + absl::Seconds(11));
}

TEST_F(SaverTest, ASaveAboveDeliveredSeqIsNotDurableAndTheOneBeforeStays) {
  session::Session& session = OpenUnsaved(9);
  session.tracks_delivery = true;
  session.delivered_seq = session.durable_seq = 4;
  saver_.Settle(session, kNow);
  (void)StartAt(kNow + kIntervalMs);
  EXPECT_EQ(sent_.at(0).keep_seq, 4u);
  EXPECT_FALSE(Saver::OnSaved(session, Written(9, false)));
  EXPECT_EQ(session.durable_seq, 4u);
  EXPECT_EQ(session.pending_seq, 9u);
  EXPECT_FALSE(Saver::OnDelivered(session, 8));
  EXPECT_TRUE(Saver::OnDelivered(session, 9));
  EXPECT_EQ(session.durable_seq, 9u);
}

TEST_F(SaverTest, ASavedSessionWithoutAStreamRests) {
  session::Session& session = OpenUnsaved(0);
  session.stream = nullptr;
  saver_.Settle(session, kNow);
  EXPECT_EQ(lists_.resting.Oldest(nullptr), &session);
}

TEST_F(SaverTest, AHeldSessionIsInNoList) {
  session::Session& session = OpenUnsaved();
  saver_.Settle(session, kNow);
  session.held = true;
  saver_.Settle(session, kNow);
  EXPECT_EQ(session.list, session::Session::List::kNone);
  EXPECT_THAT(StartAt(kNow + kIntervalMs), IsEmpty());
}

TEST_F(SaverTest, AFailedSaveIsTriedAgainAnIntervalLater) {
  session::Session& session = OpenUnsaved();
  session.stream = nullptr;
  saver_.Settle(session, kNow);
  saver_.Retry(session, kNow);
  EXPECT_THAT(StartAt(kNow + kIntervalMs - 1), IsEmpty());
  EXPECT_THAT(StartAt(kNow + kIntervalMs), ElementsAre(5));
}

TEST_F(SaverTest, TheNextSaveWaitsForAnEarlierOneToBecomeDurable) {
  session::Session& session = OpenUnsaved(9);
  session.pending_seq = 5;
  saver_.Settle(session, kNow);
  EXPECT_THAT(StartAt(kNow + kIntervalMs), IsEmpty());
  session.pending_seq = session::Session::kNoSave;
  EXPECT_THAT(StartAt(kNow + 2 * kIntervalMs), ElementsAre(9));
}

TEST_F(SaverTest, TheLastSaveBeforeARestReplacesOneThatIsNotDurable) {
  session::Session& session = OpenUnsaved(9);
  session.pending_seq = 5;
  session.stream = nullptr;
  saver_.Settle(session, kNow);
  EXPECT_THAT(StartAt(kNow), ElementsAre(9));
  EXPECT_EQ(session.pending_seq, session::Session::kNoSave);
}

TEST_F(SaverTest, ASessionThatIsNeverSavedNeedsNoSave) {
  session::Session& session = OpenUnsaved();
  session.durability = session::SessionDurability::kNone;
  EXPECT_FALSE(saver_.NeedsSave(session));
  saver_.Settle(session, kNow);
  EXPECT_EQ(lists_.never_saved.front(), &session);
}

TEST_F(SaverTest, EveryTokenIsDueAtOnceAndOneMayWaitForTheClientsWord) {
  session::Session& session = OpenUnsaved(3);
  session.durability = session::SessionDurability::kEveryToken;
  saver_.Settle(session, kNow);
  EXPECT_TRUE(saver_.urgent());
  EXPECT_THAT(StartAt(kNow), ElementsAre(3));
  session.save_in_flight = false;
  session.pending_seq = 3;
  session.point.seq = 5;
  EXPECT_FALSE(saver_.NeedsSave(session));
  ASSERT_TRUE(session.AwaitsDelivery());
  saver_.Settle(session, kNow);
  EXPECT_EQ(saver_.Untold(kNow + 59'999, /*in_the_way=*/false), nullptr);
  EXPECT_EQ(saver_.Untold(kNow + 60'000, /*in_the_way=*/false), &session);
  EXPECT_EQ(saver_.Untold(kNow + 1'000, /*in_the_way=*/true), &session);
}

TEST_F(SaverTest, ALeavingServerSavesAtOnceInSeveralBatches) {
  session::Session &first = OpenUnsaved(1), &second = OpenUnsaved(2);
  saver_.Settle(first, kNow - 1);
  saver_.Leave(kNow);
  EXPECT_THAT(StartAt(kNow), ElementsAre(1));
  saver_.Hurry();
  saver_.Settle(second, kNow);
  EXPECT_TRUE(saver_.busy());
  EXPECT_TRUE(saver_.MayStartAnother(kNow));
  EXPECT_THAT(StartAt(kNow), ElementsAre(2));
}

TEST_F(SaverTest, AfterAFailureALeavingServerPausesFor200Milliseconds) {
  saver_.Hurry();
  saver_.Settle(OpenUnsaved(), kNow);
  saver_.Pause(kNow);
  EXPECT_THAT(StartAt(kNow + 199), IsEmpty());
  EXPECT_THAT(StartAt(kNow + 200), ElementsAre(5));
}

TEST_F(SaverTest, TokensThatWaitForTheStoreAloneAreCounted) {
  session::Session& session = OpenUnsaved(10);
  EXPECT_TRUE(saver_.Lags(session, 10, 10));
  EXPECT_FALSE(saver_.Lags(session, 10, 11));
  session.pending_seq = 5;
  EXPECT_FALSE(saver_.Lags(session, 10, 10)) << "the client's word is awaited";
}

class ExpiringSaverTest : public SaverTest {
 protected:
  ExpiringSaverTest() : SaverTest(absl::Milliseconds(kIntervalMs), absl::Seconds(80)) {}
};

TEST_F(ExpiringSaverTest, AQuietAttachedSessionIsSavedAgainEveryEighthOfTheTimeToLive) {
  session::Session& session = OpenUnsaved(0);
  session.last_active_ms = session.saved_active_ms = kNow;
  EXPECT_FALSE(saver_.NeedsSave(session));
  saver_.Settle(session, kNow);
  EXPECT_THAT(StartAt(kNow + 9'999), IsEmpty());
  EXPECT_THAT(StartAt(kNow + 10'000), ElementsAre(0));
}

}  // namespace
}  // namespace aaren::save
