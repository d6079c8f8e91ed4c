// All numbers of a token reach the engine together, however items are cut, saved or moved.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "server/sessions/task/forecasting.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

constexpr float kWeight = 1000;  // PairEngine's factor for a token's mark

// Each channel's value, and the token's mark.
class MarkedConversion final : public task::Conversion {
 public:
  MarkedConversion() : Conversion(/*inputs=*/2), results_(FakeEngine::Config()) {}

  task::Schema schema() const override { return results_.schema(); }
  task::Resolved Resolve(const task::OutputRequest& request) const override { return results_.Resolve(request); }
  std::optional<task::BadField> CheckNumbers(const task::TokenNumbers& numbers, uint32_t channels,
                                             const task::OutputPlan&) const override {
    if (numbers.marks.size() * channels == numbers.values.size()) return std::nullopt;
    return task::BadField{"tokens.marks", "a token has one"};
  }
  void CopyInputs(const task::TokenNumbers& numbers, uint32_t channels, const task::OutputPlan&,
                  float* out) const override {
    for (size_t i = 0; i < numbers.values.size(); ++i) {
      *out++ = numbers.values[i];
      *out++ = static_cast<float>(numbers.marks[i / channels]);
    }
  }
  std::vector<float> SampleInputs(size_t tokens) const override { return std::vector<float>(2 * tokens, 1.0f); }
  size_t PlannedFloats(const task::OutputPlan& plan) const override { return results_.PlannedFloats(plan); }
  float* CopyPlanned(const float* result, const task::OutputPlan& plan, float* out) const override {
    return results_.CopyPlanned(result, plan, out);
  }
  engine::ResultTail TailOf(const float* result) const override { return results_.TailOf(result); }
  float InputValue(const float* inputs) const override { return *inputs; }
  task::Expected NextValue(const float* result) const override { return results_.NextValue(result); }

 private:
  const task::ForecastingConversion results_;
};

// Folds value + kWeight * mark.
class PairEngine final : public FakeEngine {
 protected:
  absl::Status Step(absl::Span<const engine::Run> runs, engine::StateSlab& rows) const override {
    std::vector<std::vector<float>> sums;
    std::vector<engine::Run> summed(runs.begin(), runs.end());
    for (engine::Run& run : summed) {
      std::vector<float>& sum = sums.emplace_back();
      for (size_t i = 0; i + 1 < run.values.size(); i += 2) sum.push_back(run.values[i] + kWeight * run.values[i + 1]);
      run.values = sum;
    }
    return FakeEngine::Step(summed, rows);
  }
};

std::unique_ptr<models::ModelTable> MarkedModels() {
  auto models = std::make_unique<models::ModelTable>();
  package::ModelPackage package;
  package.name = "marked";
  package.version = 1;
  package.config = FakeEngine::Config();
  package.digest = "digest-marked-1";
  models->Add(std::move(package), std::make_unique<PairEngine>()).IgnoreError();
  const_cast<models::LoadedModel&>(**models->Find("marked:1")).conversion = std::make_unique<MarkedConversion>();
  return models;
}

uint32_t MarkOf(uint64_t seq) { return static_cast<uint32_t>(seq * seq % 7); }
float ValueOf(uint64_t seq, uint32_t channel) {
  return static_cast<float>(seq % 5) + 0.25f * static_cast<float>(channel);
}

class InputsTest : public ::testing::Test {
 protected:
  // Tokens [first, first + count).
  void Send(uint64_t first, uint64_t count, uint32_t channels = 1) {
    std::vector<float> values;
    std::vector<uint32_t> marks;
    for (uint64_t seq = first; seq < first + count; ++seq) {
      for (uint32_t channel = 0; channel < channels; ++channel) values.push_back(ValueOf(seq, channel));
      marks.push_back(MarkOf(seq));
    }
    session::TokensView tokens;
    tokens.first_seq = first;
    tokens.values = values;
    tokens.marks = marks;
    world_.shard().Tokens(peer_, tokens);
  }

  // PairEngine's forecasts for the first `count` tokens; a token's channels stand one behind the next.
  std::vector<std::vector<float>> Expected(uint64_t count, uint32_t channels = 1) {
    std::vector<std::vector<std::vector<float>>> of_channels;
    for (uint32_t channel = 0; channel < channels; ++channel) {
      std::vector<float> sums;
      for (uint64_t seq = 0; seq < count; ++seq) {
        sums.push_back(ValueOf(seq, channel) + kWeight * static_cast<float>(MarkOf(seq)));
      }
      of_channels.push_back(FakeEngine().Forecasts(sums));
    }
    std::vector<std::vector<float>> all(count);
    for (uint64_t seq = 0; seq < count; ++seq) {
      for (const auto& forecasts : of_channels) {
        all[seq].insert(all[seq].end(), forecasts[seq].begin(), forecasts[seq].end());
      }
    }
    return all;
  }

  World world_{ShardOptions{.max_step_tokens = 10}, 1, nullptr, MarkedModels()};
  FakePeer peer_;
};

TEST_F(InputsTest, ReachTheEngineTogetherHoweverTheirTokensAreCut) {
  world_.Open(peer_, 0, Named("a"));
  Send(0, 7);
  Send(7, 24);
  world_.Settle();
  EXPECT_EQ(peer_.Forecasts(0), Expected(31));
}

TEST_F(InputsTest, OfSeveralChannelsGoToTheirOwnRows) {
  session::OpenRequest request = Named("a");
  request.channels = 3;
  world_.Open(peer_, 0, request);
  Send(0, 3, 3);
  Send(3, 2, 3);
  world_.Settle();
  EXPECT_EQ(peer_.Forecasts(0), Expected(5, 3));
}

TEST_F(InputsTest, OfTokensThatCameBeforeAreSkippedTogether) {
  world_.Open(peer_, 0, Named("a"));
  Send(0, 6);
  Send(2, 9);
  world_.Settle();
  EXPECT_EQ(peer_.Forecasts(0), Expected(11));
}

TEST_F(InputsTest, WaitTogetherBehindAnOpen) {
  world_.shard().Open(peer_, 0, Named("a"));
  Send(0, 5);
  world_.Settle();
  EXPECT_EQ(peer_.Forecasts(0), Expected(5));
}

TEST_F(InputsTest, ThatDoNotFitAreRefusedByTheTask) {
  world_.Open(peer_, 0, Named("a"));
  const std::vector<float> values = {1, 2};
  session::TokensView tokens;
  tokens.values = values;
  world_.shard().Tokens(peer_, tokens);
  world_.Settle();
  EXPECT_EQ(peer_.Last().refusal.field, "tokens.marks");
}

}  // namespace
}  // namespace aaren::shard
