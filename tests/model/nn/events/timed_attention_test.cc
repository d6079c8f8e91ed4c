#include "model/nn/events/timed_attention.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

constexpr int64_t kRows = 3, kTokens = 40, kHeads = 4, kValues = 8;

struct Sample {
  torch::Tensor scores, values, elapsed, decay;

  std::vector<torch::Tensor> Learned() const { return {scores, values, decay}; }
};

// The second row begins with three places without a token, and the third row has such places in the middle and at the
// end, as the shorter sequences of a batch do.
Sample SampleOf(torch::Dtype dtype) {
  torch::manual_seed(1);
  Sample sample = {torch::randn({kRows, kTokens, kHeads}) * 2, torch::randn({kRows, kTokens, kValues}),
                   torch::rand({kRows, kTokens}) * 3, torch::rand({kHeads})};
  sample.elapsed[1].narrow(0, 0, 3).fill_(-1);
  sample.elapsed[2].narrow(0, 20, 2).fill_(-1);
  sample.elapsed[2].narrow(0, kTokens - 5, 5).fill_(-1);
  for (torch::Tensor* one : {&sample.scores, &sample.values, &sample.elapsed, &sample.decay}) *one = one->to(dtype);
  for (torch::Tensor one : sample.Learned()) one.requires_grad_(true);
  return sample;
}

// Every output as a softmax over all earlier tokens.
torch::Tensor Dense(const Sample& sample) {
  const torch::Tensor token = sample.elapsed.ge(0), by_time = sample.elapsed.clamp_min(0), by_event = token.to(by_time);
  const torch::Tensor ages = torch::stack({by_event, by_event, by_time, by_time}, 2).cumsum(1);  // [B, N, H]
  const torch::Tensor now = ages.unsqueeze(2), then = ages.unsqueeze(1), scores = sample.scores.unsqueeze(1);
  torch::Tensor logits = scores - sample.decay * (now - then);  // [B, t, i, H]
  const torch::Tensor seen = torch::ones({kTokens, kTokens}, torch::kBool).tril().unsqueeze(0) & token.unsqueeze(1);
  logits = logits.masked_fill(seen.logical_not().unsqueeze(3), -1e30);
  const torch::Tensor values = sample.values.view({kRows, kTokens, kHeads, kValues / kHeads});
  const torch::Tensor out = torch::einsum("btih,bihv->bthv", {logits.softmax(2), values});
  return out.reshape({kRows, kTokens, kValues}) * token.unsqueeze(2);
}

TEST(TimedAttentionTest, IsTheSoftmaxOverAgedScores) {
  const Sample sample = SampleOf(torch::kFloat32);
  const torch::Tensor out = TimedAttention(sample.scores, sample.values, sample.elapsed, sample.decay);
  const torch::Tensor expected = Dense(SampleOf(torch::kFloat64));
  EXPECT_LT((out.to(torch::kFloat64) - expected).abs().max().item<double>(),
            ForgettingRounding(kTokens, 10, kFloatUnit) * 4);
}

TEST(TimedAttentionTest, GradientsAreThoseOfTheSoftmax) {
  Sample sample = SampleOf(torch::kFloat32), reference = SampleOf(torch::kFloat64);
  torch::manual_seed(2);
  const torch::Tensor toward = torch::randn({kRows, kTokens, kValues});
  (TimedAttention(sample.scores, sample.values, sample.elapsed, sample.decay) * toward).sum().backward();
  (Dense(reference) * toward.to(torch::kFloat64)).sum().backward();
  const std::vector<torch::Tensor> learned = sample.Learned(), expected = reference.Learned();
  for (size_t i = 0; i < learned.size(); ++i) {
    const torch::Tensor apart = learned[i].grad().to(torch::kFloat64) - expected[i].grad();
    EXPECT_LT(apart.abs().max().item<double>(), 1e-5 * expected[i].grad().abs().max().item<double>()) << i;
  }
}

TEST(TimedAttentionTest, APlaceWithoutATokenIsZeroAndFoldsNothing) {
  const Sample sample = SampleOf(torch::kFloat32);
  const torch::Tensor out = TimedAttention(sample.scores, sample.values, sample.elapsed, sample.decay);
  EXPECT_EQ(out[1].narrow(0, 0, 3).abs().max().item<float>(), 0);
  EXPECT_TRUE(torch::equal(out[1][3], sample.values[1][3])) << "the first token alone is its own average";
}

}  // namespace
}  // namespace aaren::nn
