#include "server/sessions/shard/arrival/promotions.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/sessions/queue/tenant_line.h"
#include "server/sessions/shard/arrival/deferred_items.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

// Demoted sessions of one stream. No model runs.
class PromotionsTest : public testing::Test {
 protected:
  Promotion& Add(uint64_t ticket, uint16_t model = 0, int64_t now_ns = 0) {
    session::Session session;
    session.model = models_->models().front().get();
    session.stream = &stream_;
    session.handle = static_cast<session::Handle>(ticket);
    session.key = session::CompactKey(absl::StrCat("default/s", ticket));
    Demoted& demoted = table_.Add(session);
    demoted.model = model;
    return promotions_.Add(demoted, ticket, now_ns);
  }

  // The tickets started by one round with `rows_per_model` free rows for each model.
  std::string Start(size_t rows_per_model) {
    std::string started;
    std::array<size_t, 2> used = {};
    promotions_.StartAll([&](Promotion& promotion) {
      if (used[promotion.demoted->model]++ == rows_per_model) return false;
      promotion.call = std::make_shared<registrar::PromoteCall>();
      absl::StrAppend(&started, promotion.ticket, " ");
      return true;
    });
    return started;
  }

  std::unique_ptr<models::ModelTable> models_ = FakeModels();
  FakePeer peer_;
  queue::TenantLine everybody_{nullptr};
  queue::Attachment stream_{peer_, everybody_};
  DemotedTable table_;
  Promotions promotions_;
};

TEST_F(PromotionsTest, StartInTheOrderInWhichTheyCame) {
  for (uint64_t ticket : {3, 4, 5}) Add(ticket);
  EXPECT_EQ(Start(2), "3 4 ");
  EXPECT_EQ(Start(2), "5 ");
}

TEST_F(PromotionsTest, OneModelWithoutRowsKeepsNoOtherWaiting) {
  for (uint64_t ticket : {1, 2, 3}) Add(ticket, 0);
  Add(4, 1);
  EXPECT_EQ(Start(1), "1 4 ");
}

TEST_F(PromotionsTest, OneThatPausesWaitsAgainAfterwardsBehindTheOthers) {
  Promotion& paused = Add(1);
  EXPECT_EQ(Start(1), "1 ");
  promotions_.Unstart(paused);
  promotions_.Pause(paused, /*now_ms=*/1000);
  Add(2);
  promotions_.EndPauses(1049);
  EXPECT_EQ(Start(2), "2 ");
  promotions_.EndPauses(1050);
  EXPECT_EQ(Start(2), "1 ");
}

TEST_F(PromotionsTest, EachPauseIsLongerThanTheLast) {
  Promotion& paused = Add(1);
  Start(1);
  promotions_.Unstart(paused);
  promotions_.Pause(paused, 0);
  promotions_.EndPauses(50);
  Start(1);
  promotions_.Unstart(paused);
  promotions_.Pause(paused, 50);
  promotions_.EndPauses(149);
  EXPECT_EQ(Start(1), "");
  promotions_.EndPauses(150);
  EXPECT_EQ(Start(1), "1 ");
}

TEST_F(PromotionsTest, OneThatWasTakenIsNotStarted) {
  Add(1);
  Add(2);
  promotions_.Take(1);
  EXPECT_EQ(Start(2), "2 ");
  EXPECT_EQ(stream_.promotions, 1);
}

TEST_F(PromotionsTest, UnstartTellsTheRegistrarThatNobodyWaits) {
  Promotion& promotion = Add(1);
  Start(1);
  const std::shared_ptr<registrar::PromoteCall> call = promotion.call;
  promotions_.Unstart(promotion);
  EXPECT_TRUE(call->cancelled);
  EXPECT_EQ(promotions_.started(), 0);
}

TEST_F(PromotionsTest, TheOldestTellsHowLongOneWaits) {
  Add(1, 0, 100);
  Add(2, 0, 200);
  EXPECT_TRUE(promotions_.OneWaitsSince(100));
  EXPECT_FALSE(promotions_.OneWaitsSince(99));
}

TEST_F(PromotionsTest, TheNewestAreHandedOverAndThoseThatMayNotKeepTheirPlaces) {
  for (uint64_t ticket : {1, 2, 3, 4}) Add(ticket);
  std::string handed;
  promotions_.HandOverNewest(
      10, [&] { return handed.size() < 4; }, [](const Promotion& promotion) { return promotion.ticket != 3; },
      [&](Promotion& promotion) {
        absl::StrAppend(&handed, promotion.ticket, " ");
        promotions_.Take(promotion.ticket);
      });
  EXPECT_EQ(handed, "4 2 ");
  EXPECT_EQ(Start(4), "1 3 ");
}

TEST_F(PromotionsTest, ForgottenTokensGiveTheQueueItsBytesBack) {
  queue::TokenQueue queue(1 << 20);
  DeferredItems deferred(queue);
  Promotion& promotion = Add(1);
  const std::vector<float> values = {1, 2, 3};
  session::TokensView tokens;
  tokens.values = values;
  deferred.Defer(promotion, tokens, 1);
  EXPECT_EQ(deferred.tokens(), 3);
  EXPECT_GT(queue.room().bytes(), 0);
  EXPECT_EQ(deferred.Forget(promotion), 3);
  EXPECT_EQ(deferred.tokens(), 0);
  EXPECT_EQ(queue.room().bytes(), 0);
  EXPECT_EQ(stream_.bytes.deferred, 0);
}

}  // namespace
}  // namespace aaren::shard
