// Sessions of extended tiers, with far horizons, covariates and a profile, are created, refused, taken back, exported
// and imported like sessions of plain tiers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "model/engine/cpu/cpu_engine.h"
#include "tests/model/engine/random_package.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kExtendedTokens = 240;

std::unique_ptr<models::ModelTable> ExtendedModels() {
  auto models = std::make_unique<models::ModelTable>();
  package::ModelPackage package = engine::RandomPackage(engine::TinyConfig(), 1);
  package.digest = "random";
  std::vector<std::unique_ptr<engine::Engine>> others;
  others.push_back(engine::NewCpuEngine(package, engine::Tier::kExtended).value());
  auto exact = engine::NewCpuEngine(package).value();
  EXPECT_TRUE(models->Add(std::move(package), std::move(exact), std::move(others)).ok());
  return models;
}

class ExtendedTest : public testing::Test {
 protected:
  static session::OpenRequest Far(const std::string& id) {
    session::OpenRequest request = Named(id, 0);
    request.output.horizons = {1, 500};
    return request;
  }

  static session::OpenRequest WithEverything(const std::string& id, uint64_t delivered_seq = 0) {
    session::OpenRequest request = Far(id);
    request.delivered_seq = delivered_seq;
    request.covariates = {.past = 1, .future = 1};
    request.profile = true;
    return request;
  }

  // Sends tokens [first_seq, end): the future covariate adds to the value, and is known two steps ahead.
  static void SendTo(World& world, FakePeer& peer, uint64_t first_seq, uint64_t end, size_t count, int shard = 0) {
    for (uint64_t seq = first_seq; seq < end; seq += count) {
      std::vector<float> values, covariates, future;
      for (uint64_t t = seq; t < std::min(end, seq + count); ++t) {
        const auto known = [](uint64_t at) { return at % 19 < 5 ? 4.0f : 0.0f; };
        values.push_back(std::sin(0.3f * static_cast<float>(t)) + known(t));
        covariates.insert(covariates.end(), {t % 7 == 3 ? NAN : static_cast<float>(t % 5), known(t)});
        future.insert(future.end(), {known(t + 1), NAN});
      }
      session::TokensView tokens;
      tokens.first_seq = seq;
      tokens.values = values;
      tokens.covariates = covariates;
      tokens.future_values = future;
      tokens.delivered_seq = seq;
      world.shard(shard).Tokens(peer, tokens);
      world.Settle();
    }
  }

  static std::vector<std::vector<float>> Undisturbed() {
    World world({}, 1, nullptr, ExtendedModels());
    FakePeer peer;
    world.Open(peer, 0, WithEverything("a"));
    SendTo(world, peer, 0, kExtendedTokens, kExtendedTokens);
    return peer.Forecasts(0);
  }

  static void ExpectSameBits(const std::vector<std::vector<float>>& forecasts, uint64_t from) {
    const std::vector<std::vector<float>> expected = Undisturbed();
    ASSERT_EQ(forecasts.size(), kExtendedTokens - from);
    for (size_t i = 0; i < forecasts.size(); ++i) {
      const std::vector<float>&a = forecasts[i], &b = expected[from + i];
      ASSERT_EQ(a.size(), b.size());
      EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << "token " << from + i;
    }
  }

  static std::string RefusalOf(World& world, session::OpenRequest request) {
    FakePeer peer;
    world.Open(peer, 0, std::move(request));
    const session::Refusal& refusal = peer.Last().refusal;
    world.shard().Disconnect(peer);
    return refusal.field + ": " + std::string(refusal.status.message());
  }

  World world_{{.save_interval = absl::Milliseconds(500)}, 2, nullptr, ExtendedModels()};
  FakePeer peer_;
};

TEST_F(ExtendedTest, AFarHorizonMakesASessionExtendedForLife) {
  world_.Open(peer_, 0, Far("a"));
  EXPECT_EQ(peer_.Last().opened.model->engine->tier(), "extended");
  world_.Open(peer_, 1, Named("a", 0));
  EXPECT_EQ(peer_.Last().opened.model->engine->tier(), "extended");
  world_.Open(peer_, 2, Named("b", 0));
  EXPECT_EQ(peer_.Last().opened.model->engine->tier(), "exact");
}

TEST_F(ExtendedTest, APlainSessionStaysPlain) {
  world_.Open(peer_, 0, Named("a", 0));
  EXPECT_THAT(RefusalOf(world_, Far("a")), HasSubstr("open.output.horizons[1]: 500 is not in 1 .. "));
  EXPECT_THAT(RefusalOf(world_, WithEverything("a")), HasSubstr("open.covariates: 1 past and 1 future covariates"));
}

TEST_F(ExtendedTest, AnOpenWithOtherCovariatesIsRefusedAndDisturbsNobody) {
  world_.Open(peer_, 0, WithEverything("a"));
  SendTo(world_, peer_, 0, 100, 20);
  session::OpenRequest request = WithEverything("a");
  request.covariates = {.past = 2, .future = 1};
  FakePeer other;
  world_.Open(other, 0, request, 1);
  EXPECT_EQ(other.Last().refusal.field, "open.covariates");
  EXPECT_THAT(other.Last().refusal.status.message(), HasSubstr("this one has 1 and 1"));
  SendTo(world_, peer_, 100, kExtendedTokens, 20);
  ExpectSameBits(peer_.Forecasts(0), 0);
}

TEST_F(ExtendedTest, ASessionKeepsItsProfile) {
  session::OpenRequest request = Named("a", 0);
  request.profile = true;
  world_.Open(peer_, 0, request);
  EXPECT_EQ(peer_.Last().opened.model->engine->tier(), "extended-profile");
  world_.Open(peer_, 1, Named("a", 0));
  EXPECT_EQ(peer_.Last().opened.model->engine->tier(), "extended-profile");
  request.profile = false;
  EXPECT_THAT(RefusalOf(world_, request), HasSubstr("open.profile: false; a session keeps what it was created with"));
}

// Limits of imports and exports are set before the first session asks for a tier.
TEST(ExtendedModelsTest, TheLargestRowIsThatOfTiersNotYetMade) {
  const std::unique_ptr<models::ModelTable> models = ExtendedModels();
  const size_t largest = models->LargestRow();
  for (const char* tier : {"extended", "extended-8-0", "extended-profile", "extended-3-5-profile"}) {
    EXPECT_LE(models->FindDigest("random", tier)->engine->row_bytes(), largest) << tier;
  }
  EXPECT_EQ(models->FindDigest("random", "extended-0-8-profile")->engine->row_bytes(), largest);
}

TEST_F(ExtendedTest, APlainSessionGetsNoProfileLater) {
  world_.Open(peer_, 0, Named("a", 0));
  session::OpenRequest request = Named("a", 0);
  request.profile = true;
  EXPECT_THAT(RefusalOf(world_, request), HasSubstr("open.profile: true; a session keeps what it was created with"));
}

TEST_F(ExtendedTest, AModelWithoutExtendedRowsLearnsNoProfile) {
  World world;
  session::OpenRequest request = Named("a", 0);
  request.profile = true;
  EXPECT_THAT(RefusalOf(world, request), HasSubstr("learns no profile"));
}

TEST_F(ExtendedTest, RefusesMoreCovariatesThanASessionMayHave) {
  session::OpenRequest request = Named("a", 0);
  request.covariates = {.past = 4, .future = 5};
  EXPECT_THAT(RefusalOf(world_, request), HasSubstr("the limit is 8 together"));
}

TEST_F(ExtendedTest, RefusesTokensWithoutTheirCovariatesAndLosesNothing) {
  world_.Open(peer_, 0, WithEverything("a"));
  world_.Send(peer_, 0, 0, {1, 2});
  EXPECT_EQ(peer_.Last().kind, FakePeer::Event::kFailed);
  EXPECT_EQ(peer_.Last().refusal.field, "tokens.covariates");
  EXPECT_EQ(peer_.Last().expected_seq, 0);
  SendTo(world_, peer_, 0, kExtendedTokens, 60);
  ExpectSameBits(peer_.Forecasts(0), 0);
}

TEST_F(ExtendedTest, CovariatesGiveTheSameBitsForAnySplit) {
  world_.Open(peer_, 0, WithEverything("a"));
  SendTo(world_, peer_, 0, kExtendedTokens, 7);
  ExpectSameBits(peer_.Forecasts(0), 0);
}

TEST_F(ExtendedTest, CovariatesGiveTheSameBitsAfterGoingBack) {
  world_.Open(peer_, 0, WithEverything("a"));
  SendTo(world_, peer_, 0, 100, 10);
  world_.Advance(absl::Milliseconds(500));
  SendTo(world_, peer_, 100, 160, 10);
  FakePeer again;
  session::OpenRequest request = WithEverything("a", 130);
  request.covariates.reset();
  world_.Open(again, 0, request, 1);
  ASSERT_EQ(again.Last().opened.next_seq, 100);
  SendTo(world_, again, 100, kExtendedTokens, 20, 1);
  ExpectSameBits(again.Forecasts(0), 100);
}

TEST_F(ExtendedTest, CovariatesGiveTheSameBitsAfterExportAndImport) {
  world_.Open(peer_, 0, WithEverything("a"));
  SendTo(world_, peer_, 0, 150, 30);
  const session::Outcome<registrar::Snapshot> snapshot = world_.Export("a");
  World elsewhere({}, 1, nullptr, ExtendedModels());
  const auto imported = elsewhere.Import("b", snapshot.value.bytes, false);
  ASSERT_FALSE(imported.refusal.has_value()) << imported.refusal->status;
  FakePeer other;
  elsewhere.Open(other, 0, WithEverything("b", 150));
  SendTo(elsewhere, other, 150, kExtendedTokens, 30);
  ExpectSameBits(other.Forecasts(0), 150);
}

TEST_F(ExtendedTest, NumbersBehindAResultAreThoseAskedFor) {
  world_.Open(peer_, 0, WithEverything("a"));
  SendTo(world_, peer_, 0, kExtendedTokens, kExtendedTokens);
  const size_t levels = engine::TinyConfig().quantiles.size();
  const std::vector<float> last = peer_.Forecasts(0).back();
  for (size_t i = last.size() - 2 * levels; i < last.size(); ++i) EXPECT_TRUE(std::isfinite(last[i])) << i;
}

}  // namespace
}  // namespace aaren::shard
