#include "model/nn/encoder/classifier.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace aaren::nn {
namespace {

constexpr int64_t kBatch = 3, kSteps = 40, kChannels = 5, kClasses = 4;

Classifier Streaming() {
  torch::manual_seed(3);
  Classifier classifier(ClassifierOptions{
      .channels = kChannels, .steps = kSteps, .classes = kClasses, .aaren = true, .causal_embedding = true});
  classifier->eval();
  return classifier;
}

torch::Tensor Lengths(int64_t length) { return torch::full({kBatch}, length, torch::kInt64); }

TEST(ClassifierTest, StreamedProbabilitiesEqualThoseOfTheSeriesCutThere) {
  Classifier classifier = Streaming();
  torch::NoGradGuard no_grad;
  const torch::Tensor x = torch::randn({kBatch, kSteps, kChannels});
  ClassifierState state = classifier->Start(kBatch);
  for (int64_t t = 0; t < kSteps; ++t) {
    const absl::StatusOr<torch::Tensor> streamed = classifier->Step(state, x.select(1, t));
    ASSERT_TRUE(streamed.ok()) << streamed.status();
    const torch::Tensor batch = torch::softmax(classifier(x, Lengths(t + 1)), -1);
    EXPECT_LT((*streamed - batch).abs().max().item<float>(), 1e-5) << t;
  }
}

TEST(ClassifierTest, TheStateDoesNotGrow) {
  Classifier classifier = Streaming();
  ClassifierState state = classifier->Start(1);
  const auto numbers = [&] {
    int64_t count = state.encoder.recent.numel() + state.logits.numel();
    for (const attention::AttentionState& one : state.encoder.layers) {
      count += one.m.numel() + one.c.numel() + one.a.numel();
    }
    return count;
  };
  const int64_t before = numbers();
  for (int64_t t = 0; t < kSteps; ++t) ASSERT_TRUE(classifier->Step(state, torch::randn({1, kChannels})).ok());
  EXPECT_EQ(numbers(), before);
}

TEST(ClassifierTest, MoreTokensThanStepsAreRefused) {
  Classifier classifier = Streaming();
  ClassifierState state = classifier->Start(1);
  state.encoder.position = kSteps;
  EXPECT_EQ(classifier->Step(state, torch::zeros({1, kChannels})).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(state.encoder.position, kSteps);
}

TEST(ClassifierTest, OnlyAnAarenWithACausalEmbeddingStreams) {
  for (const bool aaren : {false, true}) {
    Classifier classifier(ClassifierOptions{.steps = 2, .aaren = aaren, .causal_embedding = !aaren});
    ClassifierState state = classifier->Start(1);
    EXPECT_EQ(classifier->Step(state, torch::zeros({1, 1})).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST(ClassifierTest, StepsBehindTheEndOfACaseDoNotCount) {
  for (const bool aaren : {false, true}) {
    Classifier classifier(
        ClassifierOptions{.channels = kChannels, .steps = kSteps, .classes = kClasses, .aaren = aaren});
    classifier->eval();
    const torch::Tensor x = torch::randn({kBatch, kSteps, kChannels});
    torch::Tensor other = x.clone();
    other.narrow(1, 10, kSteps - 10).normal_();
    EXPECT_TRUE(torch::equal(classifier(x, Lengths(10)), classifier(other, Lengths(10)))) << aaren;
  }
}

}  // namespace
}  // namespace aaren::nn
