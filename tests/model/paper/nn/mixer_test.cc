#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/paper/nn/mixer_kind.h"
#include "tests/model/distance.h"
#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

constexpr int64_t kWidth = 12, kHeads = 3;

// For the outputs of one mixer, up to 5 in size, after at most 80 tokens.
const double kRounding = 5 * NetworkRounding(1, 80, kWidth, kDoubleUnit);

torch::Tensor RandomTokens(int64_t batch, int64_t tokens) {
  torch::manual_seed(batch * 1000 + tokens);
  return torch::randn({batch, tokens, kWidth}, torch::kFloat64);
}

torch::Tensor StepAll(const Mixer& mixer, MixerState& state, const torch::Tensor& x) {
  std::vector<torch::Tensor> outputs;
  for (int64_t i = 0; i < x.size(1); ++i) outputs.push_back(mixer->Step(state, x.select(1, i)).value());
  return torch::stack(outputs, 1);
}

class MixerTest : public ::testing::TestWithParam<MixerKind> {
 protected:
  MixerTest() {
    torch::set_num_threads(1);  // hundreds of products too small for several threads
    torch::manual_seed(7);
    mixer_ = MakeMixer({GetParam(), kWidth, kHeads}).value();
    mixer_->to(torch::kFloat64);
  }

  // The message of an InvalidArgument error.
  template <typename Result>
  static std::string Refusal(const Result& result) {
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(result.status().message());
  }

  Mixer mixer_;
};

INSTANTIATE_TEST_SUITE_P(All, MixerTest,
                         ::testing::Values(MixerKind::kAaren, MixerKind::kSoftmax, MixerKind::kLinear,
                                           MixerKind::kRecomputed),
                         [](const auto& info) { return std::string(MixerName(info.param)); });

TEST_P(MixerTest, StepEqualsForward) {
  for (const int64_t tokens : {1, 2, 17, 70}) {
    const torch::Tensor x = RandomTokens(2, tokens);
    MixerState state = mixer_->Start(2);
    EXPECT_LT(Distance(StepAll(mixer_, state, x), mixer_->forward(x).value()), kRounding) << tokens << " tokens";
    EXPECT_EQ(state.tokens, tokens);
  }
}

TEST_P(MixerTest, ChangedTokenChangesNoOutputBefore) {
  const torch::Tensor x = RandomTokens(2, 80), before = mixer_->forward(x).value();
  for (const int64_t j : {1, 40, 79}) {
    torch::Tensor changed = x.clone();
    changed.select(1, j).add_(1);
    const torch::Tensor after = mixer_->forward(changed).value();
    EXPECT_TRUE(torch::equal(before.slice(1, 0, j), after.slice(1, 0, j))) << "token " << j;
    EXPECT_GT(Distance(before.select(1, j), after.select(1, j)), 1e-6);
    EXPECT_GT(Distance(before.select(1, 79), after.select(1, 79)), 1e-6) << "the last output sees every token";
  }
}

TEST_P(MixerTest, SequencesOfABatchDoNotMix) {
  const torch::Tensor x = RandomTokens(3, 20), together = mixer_->forward(x).value();
  for (int64_t b = 0; b < 3; ++b) {
    EXPECT_LT(Distance(together[b], mixer_->forward(x.narrow(0, b, 1)).value()[0]), kRounding);
  }
}

TEST_P(MixerTest, ClonedStateGoesItsOwnWay) {
  const torch::Tensor x = RandomTokens(2, 30), other = RandomTokens(2, 31).narrow(1, 1, 30);
  MixerState state = mixer_->Start(2);
  StepAll(mixer_, state, x.narrow(1, 0, 20));
  MixerState clone = state.Clone();
  StepAll(mixer_, clone, other.narrow(1, 20, 10));
  EXPECT_LT(Distance(StepAll(mixer_, state, x.narrow(1, 20, 10)), mixer_->forward(x).value().narrow(1, 20, 10)),
            kRounding);
  EXPECT_EQ(clone.tokens, state.tokens);
}

TEST_P(MixerTest, ClonedMixerHasItsOwnEqualWeights) {
  const torch::Tensor x = RandomTokens(2, 9), expected = mixer_->forward(x).value();
  const auto clone = std::dynamic_pointer_cast<MixerImpl>(mixer_->clone());
  EXPECT_TRUE(torch::equal(clone->forward(x).value(), expected));
  torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : clone->parameters()) parameter.zero_();
  EXPECT_TRUE(torch::equal(mixer_->forward(x).value(), expected));
}

TEST_P(MixerTest, EveryWeightIsTrained) {
  mixer_->forward(RandomTokens(2, 20)).value().pow(2).sum().backward();
  for (const auto& parameter : mixer_->named_parameters()) {
    if (parameter.key() == "key.bias" && GetParam() != MixerKind::kLinear) continue;  // cancels in a softmax
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    EXPECT_GT(parameter.value().grad().abs().max().item<double>(), 0) << parameter.key();
  }
}

TEST_P(MixerTest, StepRecordsNoGradient) {
  MixerState state = mixer_->Start(1);
  EXPECT_FALSE(mixer_->Step(state, RandomTokens(1, 1)[0])->requires_grad());
  for (const torch::Tensor& tensor : state.tensors) EXPECT_FALSE(tensor.requires_grad());
}

TEST_P(MixerTest, WrongInputsAreNamed) {
  EXPECT_EQ(Refusal(mixer_->forward(torch::zeros({2, 5, 7}, torch::kFloat64))),
            "x has shape [2, 5, 7]; [*, *, 12] is needed");
  EXPECT_EQ(Refusal(mixer_->forward(torch::zeros({2, 5, 12}))), "x is Float; the mixer is Double");
  EXPECT_EQ(Refusal(mixer_->forward(torch::zeros({2, 5, 12}, torch::TensorOptions(torch::kFloat64).device("meta")))),
            "x is on meta; the mixer is on cpu");
  EXPECT_NE(Refusal(mixer_->forward(torch::zeros({2, 0, 12}, torch::kFloat64))).find("at least 1"), std::string::npos);
}

TEST_P(MixerTest, WrongStepIsNamedAndLeavesTheStateAsItWas) {
  const torch::Tensor x = RandomTokens(2, 3);
  MixerState state = mixer_->Start(2);
  StepAll(mixer_, state, x.narrow(1, 0, 2));
  EXPECT_EQ(Refusal(mixer_->Step(state, torch::zeros({3, 12}, torch::kFloat64))),
            "x has shape [3, 12]; [2, 12] is needed");
  EXPECT_EQ(Refusal(mixer_->Step(state, torch::zeros({2, 12}))), "x is Float; the mixer is Double");
  EXPECT_EQ(state.tokens, 2);
  EXPECT_LT(Distance(mixer_->Step(state, x.select(1, 2)).value(), mixer_->forward(x).value().select(1, 2)), kRounding);
}

TEST_P(MixerTest, StateOfNothingIsRefused) {
  MixerState state;
  EXPECT_EQ(Refusal(mixer_->Step(state, RandomTokens(1, 1)[0])),
            absl::StrCat("state has 0 tensors; ", mixer_->Start(1).tensors.size(), " as made by Start are needed"));
}

TEST_P(MixerTest, StateOfAnotherSizeIsRefused) {
  const Mixer wider = MakeMixer({GetParam(), 24, 4}).value();
  wider->to(torch::kFloat64);
  MixerState state = wider->Start(1);
  const MixerState before = state.Clone();
  EXPECT_THAT(Refusal(mixer_->Step(state, RandomTokens(1, 1)[0])), testing::HasSubstr("state has shape"));
  EXPECT_EQ(state.tokens, before.tokens);
}

TEST_P(MixerTest, NoTokensAreRefused) {
  EXPECT_EQ(Refusal(mixer_->forward(torch::zeros({2, 0, 12}, torch::kFloat64))),
            "x has 2 sequences of 0 tokens; at least 1 of each is needed");
}

TEST_P(MixerTest, HeadsThatDoNotDivideTheWidthAreRefused) {
  EXPECT_EQ(Refusal(MakeMixer({GetParam(), 10, 4})), "width is 10; a positive multiple of the 4 heads is needed");
  EXPECT_NE(Refusal(MakeMixer({GetParam(), 10, 0})).find("the 0 heads"), std::string::npos);
}

// Bytes of one sequence's float32 state after `tokens` tokens.
int64_t BytesAfter(MixerKind kind, int64_t tokens) {
  const Mixer mixer = MakeMixer({kind, kWidth, kHeads}).value();
  MixerState state = mixer->Start(1);
  for (int64_t i = 0; i < tokens; ++i) mixer->Step(state, torch::zeros({1, kWidth})).value();
  return state.bytes();
}

class MixerStateTest : public ::testing::Test {
 protected:
  MixerStateTest() { torch::set_num_threads(1); }  // hundreds of products too small for several threads
};

TEST_F(MixerStateTest, AarenAndLinearStatesDoNotGrow) {
  for (const int64_t tokens : {0, 1, 100}) {
    EXPECT_EQ(BytesAfter(MixerKind::kAaren, tokens), (kWidth + 2 * kHeads) * 4);
    EXPECT_EQ(BytesAfter(MixerKind::kLinear, tokens), (kWidth * 4 + kWidth) * 4);
  }
}

TEST_F(MixerStateTest, CacheOfKeysAndValuesGrowsByAQuarter) {
  const auto bytes = [](int64_t capacity) { return 2 * capacity * kWidth * 4; };
  EXPECT_EQ(BytesAfter(MixerKind::kSoftmax, 0), 0);
  EXPECT_EQ(BytesAfter(MixerKind::kSoftmax, 64), bytes(64));
  EXPECT_EQ(BytesAfter(MixerKind::kSoftmax, 65), bytes(80));
  EXPECT_EQ(BytesAfter(MixerKind::kSoftmax, 101), bytes(125));
}

}  // namespace
}  // namespace aaren::nn
