#include "model/training/events/event_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "model/training/events/event_loss.h"
#include "tests/model/engine/events/random_events.h"
#include "tests/model/training/fresh_folder.h"

namespace aaren::training {
namespace {

using ::testing::HasSubstr;

EventTrainOptions SmallEventRun() {
  EventTrainOptions options;
  options.steps = 12;
  options.rows = 3;
  options.tokens = 20;
  options.checkpoint_every = 4;
  options.held_out_rows = 4;
  return options;
}

bool Always(const EventTrainProgress&) { return true; }

std::map<std::string, package::Tensor> Trained(const EventTrainOptions& options) {
  const absl::StatusOr<EventTrainResult> result = TrainEvents(options, Always);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->tensors : std::map<std::string, package::Tensor>();
}

// Runs until a step is done, as a user would who interrupts there.
absl::Status StopAfter(int64_t step, const EventTrainOptions& options) {
  return TrainEvents(options, [step](const EventTrainProgress& now) { return now.step < step; }).status();
}

TEST(EventTrainerTest, HeldOutLossesFall) {
  EventTrainOptions options = SmallEventRun();
  options.rows = 8;
  options.tokens = 60;
  options.steps = 40;
  options.held_out_rows = 24;
  std::vector<EventLosses> held_out;
  const auto result = TrainEvents(options, [&](const EventTrainProgress& now) {
    if (now.checked) held_out.push_back(now.held_out);
    return true;
  });
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(held_out.size(), 10u);
  EXPECT_LT(held_out.back().time, held_out.front().time - 0.1);
  EXPECT_LT(held_out.back().mark, held_out.front().mark - 0.1);
  EXPECT_EQ(result->held_out.time, held_out.back().time);
}

TEST(EventTrainerTest, AResumedRunEndsWithTheBitsOfOneWithoutInterruption) {
  EventTrainOptions options = SmallEventRun();
  const auto whole = Trained(options);
  options.checkpoint = FreshFolder("events");
  EXPECT_EQ(StopAfter(7, options).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Trained(options), whole);
}

TEST(EventTrainerTest, OneSeedGivesOneResult) {
  EventTrainOptions options = SmallEventRun();
  const auto one = Trained(options);
  EXPECT_EQ(Trained(options), one);
  options.seed = 2;
  EXPECT_NE(Trained(options), one);
}

TEST(EventTrainerTest, ACheckpointOfAnotherSeedIsRefusedAndBothAreNamed) {
  EventTrainOptions options = SmallEventRun();
  options.checkpoint = FreshFolder("events");
  Trained(options);
  options.seed = 2;
  const absl::Status status = TrainEvents(options, Always).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("seed=1"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("seed=2"));
}

TEST(EventTrainerTest, ARunMayBecomeLongerWhileItsRateStays) {
  EventTrainOptions options = SmallEventRun(), longer = options;
  longer.steps = 20;
  const auto whole = Trained(longer);
  options.checkpoint = longer.checkpoint = FreshFolder("events");
  StopAfter(4, options).IgnoreError();
  EXPECT_EQ(Trained(longer), whole);
}

TEST(EventTrainerTest, ARunWhoseRateFallsKeepsItsEnd) {
  EventTrainOptions options = SmallEventRun();
  options.checkpoint = FreshFolder("events");
  StopAfter(6, options).IgnoreError();
  options.steps = 20;
  EXPECT_EQ(TrainEvents(options, Always).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(EventTrainerTest, TheRateRisesStaysAndFallsInALine) {
  EventTrainOptions options;
  options.steps = 1000;
  EXPECT_DOUBLE_EQ(EventRateFactor(options, 0), 1.0 / 50);
  EXPECT_DOUBLE_EQ(EventRateFactor(options, 49), 1);
  EXPECT_DOUBLE_EQ(EventRateFactor(options, 399), 1);
  EXPECT_DOUBLE_EQ(EventRateFactor(options, 700), 0.5);
  EXPECT_DOUBLE_EQ(EventRateFactor(options, 1000), 0);
}

TEST(EventTrainerTest, MatricesOfBlocksAndOfTheInputsMlpTakeMuonSteps) {
  nn::EventNetwork network;
  const auto state = Optimizer(*network, {}).State();  // AdamW alone keeps a second moment
  EXPECT_FALSE(state.contains("input_mlp.gate.weight.second"));
  EXPECT_FALSE(state.contains("blocks.1.attention.value.weight.second"));
  EXPECT_TRUE(state.contains("input.weight.second"));
  EXPECT_TRUE(state.contains("blocks.1.attention.log_decay.second"));
}

TEST(EventTrainerTest, BeginsWithThePackagesWeights) {
  EventTrainOptions options = SmallEventRun();
  options.steps = 1;
  options.from = events::RandomEventPackage(3);
  options.optimizer = {.rate = 1e-9, .muon_rate = 1e-9, .weight_decay = 0};
  for (const auto& [name, tensor] : Trained(options)) {
    const std::vector<float>& before = options.from->tensors.at(name).data;
    for (size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(tensor.data[i], before[i], 1e-6) << name;
  }
}

TEST(EventTrainerTest, AFullDiskEndsTheRunAndLeavesTheCheckpointBefore) {
  EventTrainOptions options = SmallEventRun();
  options.checkpoint = FreshFolder("events");
  StopAfter(4, options).IgnoreError();
  const std::string file = options.checkpoint + "/checkpoint.pt";
  const auto before = std::filesystem::last_write_time(file);
  std::filesystem::create_symlink("/dev/full", file + ".partial");
  const absl::Status status = TrainEvents(options, Always).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("No space left on device"));
  EXPECT_EQ(std::filesystem::last_write_time(file), before);
}

TEST(EventTrainerTest, SizesBelowOneAreNamed) {
  EventTrainOptions options = SmallEventRun();
  options.rows = 0;
  EXPECT_EQ(TrainEvents(options, Always).status().message(), "batch is 0, must be at least 1");
  options = SmallEventRun();
  options.hold = 13;
  EXPECT_EQ(TrainEvents(options, Always).status().message(), "hold is 13, more than steps, 12");
}

// The slope of the whole loss along a random direction of all weights.
TEST(EventLossTest, GradientOfTheNetworkIsTheSlope) {
  torch::manual_seed(1);
  nn::EventNetwork network;
  ASSERT_TRUE(nn::TakeEventWeights(events::RandomEventPackage(7), network).ok());
  const EventBatch batch = DrawEventBatch(9, 0, 4, 50);
  const auto loss = [&] {
    const EventLoss parts = ComputeEventLoss(network, batch);
    return parts.time + parts.mark;
  };
  loss().backward();
  double slope = 0;
  std::vector<torch::Tensor> direction;
  torch::NoGradGuard no_grad;
  for (const torch::Tensor& parameter : network->parameters()) {
    // Along the gradient itself the slope is largest; some noise leaves no part of the gradient out.
    direction.push_back(parameter.grad() / parameter.grad().norm() +
                        0.1 * torch::randn_like(parameter) / std::sqrt(parameter.numel()));
    slope += (direction.back() * parameter.grad()).sum().item<double>();
  }
  const auto moved = [&](double step) {
    for (size_t i = 0; i < direction.size(); ++i) network->parameters()[i].add_(direction[i], step);
    const double value = loss().item<double>();
    for (size_t i = 0; i < direction.size(); ++i) network->parameters()[i].add_(direction[i], -step);
    return value;
  };
  constexpr double kStep = 1e-3;
  EXPECT_NEAR((moved(kStep) - moved(-kStep)) / (2 * kStep), slope, 0.02 * slope);
}

TEST(EventLossTest, ABatchWithoutATokenHasNoLoss) {
  nn::EventNetwork network;
  events::EventSequence sequence;
  sequence.times = {0, 0, 0, 0};
  sequence.marks = {1, 1, 1, 1};
  const EventLoss loss = ComputeEventLoss(network, EventBatchOf({&sequence, 1}, 1));
  EXPECT_EQ(loss.time.item<float>(), 0);
  EXPECT_EQ(loss.mark.item<float>(), 0);
}

}  // namespace
}  // namespace aaren::training
