#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>
#include <vector>

#include "model/attention/dense.h"
#include "model/attention/element.h"
#include "model/attention/scan.h"

namespace aaren {
namespace {

// Two series of three heads, values four wide, at uneven positions.
struct Inputs {
  torch::Tensor scores, positions, decay, values;
};

Inputs RandomInputs(int tokens, double score_scale) {
  torch::manual_seed(7);
  const auto options = torch::TensorOptions().dtype(torch::kFloat64);
  return {.scores = (torch::randn({2, 3, tokens}, options) * score_scale).requires_grad_(),
          .positions = torch::randint(1, 16, {tokens}, torch::kInt64).cumsum(0),
          .decay = torch::tensor({0.0, 0.001, 0.05}, options).requires_grad_(),
          .values = torch::randn({2, 3, tokens, 4}, options).requires_grad_()};
}

// Token by token, with Element.
torch::Tensor RecurrentAttention(const Inputs& in) {
  const int64_t rows = in.scores.size(0), heads = in.scores.size(1), tokens = in.scores.size(2),
                width = in.values.size(3);
  torch::Tensor outputs = torch::zeros({rows, heads, tokens, width}, torch::kFloat64);
  for (int64_t head = 0; head < rows * heads; ++head) {
    const int64_t b = head / heads, h = head % heads;
    Element<double> element(width);
    for (int64_t t = 0; t < tokens; ++t) {
      const torch::Tensor value = in.values[b][h][t].detach().contiguous();
      if (t > 0) element.Age(in.decay[h].item<double>(), (in.positions[t] - in.positions[t - 1]).item<double>());
      element.Fold(in.scores[b][h][t].item<double>(), {value.data_ptr<double>(), value.data_ptr<double>() + width});
      outputs[b][h][t] = torch::tensor(element.Output(), torch::kFloat64);
    }
  }
  return outputs;
}

void ExpectClose(const torch::Tensor& x, const torch::Tensor& y, double tolerance) {
  EXPECT_LT((x - y).abs().max().item<double>(), tolerance);
}

TEST(AttentionTest, RecurrenceEqualsDense) {
  const Inputs in = RandomInputs(40, 2);
  ExpectClose(RecurrentAttention(in), DenseAttention(in.scores, in.positions, in.decay, in.values), 1e-12);
}

TEST(AttentionTest, ScanEqualsDense) {
  const Inputs in = RandomInputs(40, 2);
  ExpectClose(ScanAttention(in.scores, in.positions, in.decay, in.values),
              DenseAttention(in.scores, in.positions, in.decay, in.values), 1e-12);
}

TEST(AttentionTest, HugeScoresStayFinite) {
  const Inputs in = RandomInputs(40, 1e4);
  const torch::Tensor dense = DenseAttention(in.scores, in.positions, in.decay, in.values);
  ExpectClose(RecurrentAttention(in), dense, 1e-9);
  ExpectClose(ScanAttention(in.scores, in.positions, in.decay, in.values), dense, 1e-9);
}

TEST(AttentionTest, AllScoresVeryNegativeGiveTheMean) {
  Inputs in = RandomInputs(10, 0);
  in.scores = torch::full({2, 3, 10}, -1e4, torch::kFloat64);
  in.decay = torch::zeros({3}, torch::kFloat64);
  const torch::Tensor mean = in.values.mean(2);
  ExpectClose(DenseAttention(in.scores, in.positions, in.decay, in.values).select(2, 9), mean, 1e-12);
  ExpectClose(ScanAttention(in.scores, in.positions, in.decay, in.values).select(2, 9), mean, 1e-12);
  ExpectClose(RecurrentAttention(in).select(2, 9), mean, 1e-12);
}

TEST(AttentionTest, MaskedTokensDoNotCount) {
  Inputs in = RandomInputs(12, 1);
  in.scores = in.scores.detach().clone();
  in.scores.slice(2, 0, 3).fill_(-std::numeric_limits<double>::infinity());
  in.scores.slice(2, 6, 8).fill_(-std::numeric_limits<double>::infinity());
  const torch::Tensor dense = DenseAttention(in.scores, in.positions, in.decay, in.values);
  ExpectClose(RecurrentAttention(in), dense, 1e-12);
  EXPECT_EQ(dense.slice(2, 0, 3).abs().max().item<double>(), 0) << "nothing to attend to yet";
}

TEST(AttentionTest, LaterTokensDoNotChangeEarlierOutputs) {
  Inputs in = RandomInputs(20, 1);
  const torch::Tensor before = DenseAttention(in.scores, in.positions, in.decay, in.values).slice(2, 0, 10);
  const torch::Tensor changed = in.scores.detach().clone();
  changed.slice(2, 10).add_(5);
  EXPECT_TRUE(torch::equal(before, DenseAttention(changed, in.positions, in.decay, in.values).slice(2, 0, 10)));
}

TEST(AttentionTest, ScanGradientsEqualDenseGradients) {
  const Inputs in = RandomInputs(30, 2);
  const torch::Tensor weight = torch::randn({2, 3, 30, 4}, torch::kFloat64);
  const std::vector<torch::Tensor> inputs = {in.scores, in.decay, in.values};
  const auto dense =
      torch::autograd::grad({(DenseAttention(in.scores, in.positions, in.decay, in.values) * weight).sum()}, inputs);
  const auto scan =
      torch::autograd::grad({(ScanAttention(in.scores, in.positions, in.decay, in.values) * weight).sum()}, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) ExpectClose(scan[i], dense[i], 1e-9);
}

}  // namespace
}  // namespace aaren
