#include "model/paper/nn/stack.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "model/nn/mixer/aaren.h"
#include "tests/model/distance.h"
#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

constexpr int64_t kLayers = 3, kTokens = 9;

StackOptions Small(MixerKind kind, bool norm_first = false) {
  return {BlockOptions(MixerOptions(kind, 12, 3)).norm_first(norm_first), kLayers};
}

// For the outputs of three layers, up to 5 in size, after at most 150 tokens.
double Rounding(double unit) { return 5 * NetworkRounding(3, 150, 12, unit); }

Stack Exact(const StackOptions& options) {
  torch::manual_seed(21);
  Stack stack = MakeStack(options).value();
  stack->to(torch::kFloat64);
  return stack;
}

torch::Tensor RandomTokens(int64_t tokens = kTokens) {
  torch::manual_seed(tokens);
  return torch::randn({2, tokens, 12}, torch::kFloat64);
}

torch::Tensor StepAll(Stack& stack, StackState& state, const torch::Tensor& x) {
  std::vector<torch::Tensor> outputs;
  for (int64_t i = 0; i < x.size(1); ++i) outputs.push_back(stack->Step(state, x.select(1, i)).value());
  return torch::stack(outputs, 1);
}

class MixerStackTest : public ::testing::TestWithParam<MixerKind> {
 protected:
  MixerStackTest() { torch::set_num_threads(1); }  // thousands of products too small for several threads
};

INSTANTIATE_TEST_SUITE_P(All, MixerStackTest,
                         ::testing::Values(MixerKind::kAaren, MixerKind::kSoftmax, MixerKind::kLinear,
                                           MixerKind::kRecomputed),
                         [](const auto& info) { return std::string(MixerName(info.param)); });

TEST_P(MixerStackTest, StepEqualsForward) {
  for (const bool norm_first : {false, true}) {
    Stack stack = Exact(Small(GetParam(), norm_first));
    const torch::Tensor x = RandomTokens();
    StackState state = stack->Start(2);
    EXPECT_LT(Distance(StepAll(stack, state, x), stack(x).value()), Rounding(kDoubleUnit));
  }
}

TEST_P(MixerStackTest, ChangedTokenChangesNoOutputBefore) {
  Stack stack = Exact(Small(GetParam()));
  const torch::Tensor x = RandomTokens(70), changed = x.clone();
  changed.select(1, 65).add_(torch::randn({12}, torch::kFloat64));
  const torch::Tensor before = stack(x).value(), after = stack(changed).value();
  EXPECT_TRUE(torch::equal(before.slice(1, 0, 65), after.slice(1, 0, 65)));
  EXPECT_GT(Distance(before.select(1, 69), after.select(1, 69)), 1e-9);
}

TEST_P(MixerStackTest, ClonedStateGoesItsOwnWay) {
  Stack stack = Exact(Small(GetParam()));
  const torch::Tensor x = RandomTokens();
  StackState state = stack->Start(2);
  StepAll(stack, state, x.narrow(1, 0, 6));
  StackState clone = state.Clone();
  StepAll(stack, clone, -x.narrow(1, 6, 3));
  EXPECT_LT(Distance(StepAll(stack, state, x.narrow(1, 6, 3)), stack(x).value().narrow(1, 6, 3)),
            Rounding(kDoubleUnit));
  EXPECT_EQ(clone.bytes(), state.bytes());
}

TEST_P(MixerStackTest, CloneHasItsOwnEqualWeights) {
  Stack stack = Exact(Small(GetParam()));
  const torch::Tensor x = RandomTokens(), expected = stack(x).value();
  Stack clone(std::dynamic_pointer_cast<StackImpl>(stack->clone()));
  EXPECT_TRUE(torch::equal(clone(x).value(), expected));
  torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : clone->parameters()) parameter.zero_();
  EXPECT_TRUE(torch::equal(stack(x).value(), expected));
}

TEST_P(MixerStackTest, WrongStepIsNamedAndLeavesEveryLayerAsItWas) {
  Stack stack = Exact(Small(GetParam()));
  const torch::Tensor x = RandomTokens();
  StackState state = stack->Start(2);
  StepAll(stack, state, x.narrow(1, 0, 4));
  const absl::Status status = stack->Step(state, torch::zeros({3, 12}, torch::kFloat64)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "x has shape [3, 12]; [2, 12] is needed");
  EXPECT_LT(Distance(StepAll(stack, state, x.narrow(1, 4, 5)), stack(x).value().narrow(1, 4, 5)),
            Rounding(kDoubleUnit));
}

TEST_P(MixerStackTest, StateOfAnotherDepthIsRefused) {
  Stack stack = Exact(Small(GetParam()));
  StackState state = stack->Start(2);
  state.layers.push_back(state.layers.front());
  const absl::Status status = stack->Step(state, RandomTokens().select(1, 0)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("layers; "), absl::string_view::npos) << status;
}

TEST(MixerStackStateTest, IsTheSumOfItsLayers) {
  const StackState state = MakeStack({MixerOptions(MixerKind::kAaren, 512, 4), 4}).value()->Start(1);
  EXPECT_EQ(state.layers.size(), 4u);
  EXPECT_EQ(state.bytes(), 4 * 2080);
}

TEST(ParameterCountTest, AarenStackHasOneQueryALayerMore) {
  const auto count = [](MixerKind kind) {
    int64_t sum = 0;
    const Stack stack = MakeStack({MixerOptions(kind, 512, 4), 4}).value();
    for (const torch::Tensor& parameter : stack->parameters()) sum += parameter.numel();
    return sum;
  };
  EXPECT_EQ(count(MixerKind::kAaren) - count(MixerKind::kSoftmax), 4 * 512);
}

TEST(StackBlockTest, WrongOptionsAreNamed) {
  const absl::Status layers = MakeStack({MixerOptions(MixerKind::kAaren, 12, 3), 0}).status();
  EXPECT_EQ(layers.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(layers.message(), "layers is 0; at least 1 is needed");
  EXPECT_EQ(MakeStack({MixerOptions(MixerKind::kAaren, 10, 4), 2}).status().message(),
            "width is 10; a positive multiple of the 4 heads is needed");
}

TEST(StackBlockTest, FloatAgreesWithDouble) {
  Stack stack = Exact(Small(MixerKind::kAaren));
  const torch::Tensor x = RandomTokens(100), exact = stack(x).value();
  stack->to(torch::kFloat32);
  EXPECT_LT(Distance(stack(x.to(torch::kFloat32)).value(), exact), Rounding(kFloatUnit));
}

}  // namespace
}  // namespace aaren::nn
