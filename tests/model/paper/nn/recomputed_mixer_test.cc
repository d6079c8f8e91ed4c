#include "model/paper/nn/recomputed_mixer.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <vector>

#include "model/paper/nn/stack.h"
#include "tests/model/attention/peak_memory.h"
#include "tests/model/distance.h"
#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

torch::Tensor RandomTokens(int64_t tokens) {
  torch::manual_seed(tokens);
  return torch::randn({2, tokens, 12}, torch::kFloat64);
}

// Gives `to` the weights of `from`.
void Share(const torch::nn::Module& from, torch::nn::Module& to) {
  torch::NoGradGuard no_grad;
  auto weights = to.named_parameters();
  for (const auto& parameter : from.named_parameters()) weights[parameter.key()].copy_(parameter.value());
}

Stack Exact(MixerKind kind, int64_t layers) {
  Stack stack = MakeStack({MixerOptions(kind, 12, 3), layers}).value();
  stack->to(torch::kFloat64);
  return stack;
}

// T_l(i) = sum_{j <= i} (1 + T_{l-1}(j)), T_0 = 0.
int64_t Cost(int64_t layers, int64_t position) {
  if (layers == 0) return 0;
  int64_t sum = 0;
  for (int64_t j = 0; j <= position; ++j) sum += 1 + Cost(layers - 1, j);
  return sum;
}

// Peak bytes of each token's step; the buffer of the inputs is allocated before.
std::vector<int64_t> StepPeaks(Stack& stack, int64_t tokens) {
  StackState state = stack->Start(2);
  const torch::Tensor x = RandomTokens(tokens);
  std::vector<int64_t> peaks;
  for (int64_t i = 0; i < tokens; ++i) {
    const torch::Tensor token = x.select(1, i);
    peaks.push_back(attention::PeakBytes([&] { EXPECT_TRUE(stack->Step(state, token).ok()); }));
  }
  return peaks;
}

class RecomputedMixerTest : public ::testing::Test {
 protected:
  RecomputedMixerTest() { torch::set_num_threads(1); }  // thousands of products too small for several threads
};

TEST_F(RecomputedMixerTest, EqualsTheSoftmaxMixerWithTheSameWeights) {
  torch::manual_seed(31);
  SoftmaxMixer softmax(MixerOptions(MixerKind::kSoftmax, 12, 3));
  RecomputedMixer recomputed(MixerOptions(MixerKind::kRecomputed, 12, 3));
  for (MixerImpl* mixer : {static_cast<MixerImpl*>(softmax.get()), static_cast<MixerImpl*>(recomputed.get())}) {
    mixer->to(torch::kFloat64);
  }
  Share(*softmax, *recomputed);
  const torch::Tensor x = RandomTokens(30);
  EXPECT_TRUE(torch::equal(softmax(x).value(), recomputed(x).value()));
  MixerState cached = softmax->Start(2), inputs = recomputed->Start(2);
  for (int64_t i = 0; i < 30; ++i) {
    const torch::Tensor token = x.select(1, i);
    EXPECT_LT(Distance(softmax->Step(cached, token).value(), recomputed->Step(inputs, token).value()),
              5 * NetworkRounding(1, 30, 12, kDoubleUnit));
  }
}

TEST_F(RecomputedMixerTest, StackEqualsTheTransformersWithTheSameWeights) {
  torch::manual_seed(32);
  Stack transformer = Exact(MixerKind::kSoftmax, 3), recomputed = Exact(MixerKind::kRecomputed, 3);
  Share(*transformer, *recomputed);
  const torch::Tensor x = RandomTokens(8);
  StackState cached = transformer->Start(2), inputs = recomputed->Start(2);
  for (int64_t i = 0; i < 8; ++i) {
    const torch::Tensor token = x.select(1, i);
    EXPECT_LT(Distance(transformer->Step(cached, token).value(), recomputed->Step(inputs, token).value()),
              5 * NetworkRounding(3, 8, 12, kDoubleUnit));
  }
}

TEST_F(RecomputedMixerTest, EveryStepCostsWhatTheFormulaSays) {
  for (const int64_t layers : {1, 2, 3}) {
    Stack stack = Exact(MixerKind::kRecomputed, layers);
    StackState state = stack->Start(2);
    const torch::Tensor x = RandomTokens(8);
    for (int64_t i = 0; i < 8; ++i) {
      const int64_t before = state.folds();
      ASSERT_TRUE(stack->Step(state, x.select(1, i)).ok());
      EXPECT_EQ(state.folds() - before, Cost(layers, i)) << layers << " layers, token " << i;
    }
  }
}

// One layer is quadratic over a sequence, two layers are cubic: the sums in closed form.
TEST_F(RecomputedMixerTest, CostOfASequenceInClosedForm) {
  constexpr int64_t kTokens = 12;
  const auto folds = [](int64_t layers) {
    Stack stack = Exact(MixerKind::kRecomputed, layers);
    StackState state = stack->Start(1);
    for (int64_t i = 0; i < kTokens; ++i) EXPECT_TRUE(stack->Step(state, torch::ones({1, 12}, torch::kFloat64)).ok());
    return state.folds();
  };
  const int64_t pairs = kTokens * (kTokens + 1) / 2;
  EXPECT_EQ(folds(1), pairs);
  EXPECT_EQ(folds(2), pairs + pairs * (kTokens + 2) / 3);
}

TEST_F(RecomputedMixerTest, StateIsTheRawInputAlone) {
  for (const int64_t layers : {1, 3}) {
    Stack stack = Exact(MixerKind::kRecomputed, layers);
    StackState state = stack->Start(2);
    const torch::Tensor x = RandomTokens(7);
    for (int64_t i = 0; i < 7; ++i) ASSERT_TRUE(stack->Step(state, x.select(1, i)).ok());
    ASSERT_EQ(state.layers.size(), 1u);
    ASSERT_EQ(state.layers[0].tensors.size(), 1u);
    EXPECT_TRUE(torch::equal(state.layers[0].tensors[0].narrow(1, 0, 7), x));
  }
}

TEST_F(RecomputedMixerTest, WorkingMemoryDoesNotGrowWithTheTokens) {
  Stack stack = Exact(MixerKind::kRecomputed, 2);
  const std::vector<int64_t> peaks = StepPeaks(stack, 40);
  EXPECT_GT(peaks[2], 0);
  for (size_t i = 3; i < peaks.size(); ++i) EXPECT_EQ(peaks[i], peaks[2]) << "token " << i;
}

// Shows how the test above would see memory that grows.
TEST_F(RecomputedMixerTest, WorkingMemoryOfTheSoftmaxMixerGrows) {
  Stack stack = Exact(MixerKind::kSoftmax, 2);
  const std::vector<int64_t> peaks = StepPeaks(stack, 60);
  EXPECT_GT(peaks[50], peaks[2]);
}

}  // namespace
}  // namespace aaren::nn
