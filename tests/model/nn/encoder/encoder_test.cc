#include "model/nn/encoder/encoder.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>

#include "model/nn/encoder/seq2seq.h"
#include "model/nn/encoder/streamed_encoder.h"
#include "model/nn/encoder/window_embedding.h"

namespace aaren::nn {
namespace {

constexpr double kTolerance = 1e-12;

EncoderOptions Small(bool aaren) { return EncoderOptions(aaren, /*width=*/8, /*heads=*/2, /*mlp_width=*/16); }

int64_t Count(const torch::nn::Module& module) {
  int64_t count = 0;
  for (const torch::Tensor& parameter : module.parameters()) count += parameter.numel();
  return count;
}

// Attention as the paper writes it: scores with keys and all biases, and a softmax over each prefix.
torch::Tensor Written(MultiHeadAttention& attention, const torch::Tensor& x) {
  const int64_t heads = attention->options.heads(), tokens = x.size(1);
  const auto split = [&](const torch::Tensor& y) { return y.unflatten(-1, {heads, -1}).transpose(1, 2); };
  const torch::Tensor queries = attention->options.aaren() ? attention->token.expand_as(x) : x;
  const torch::Tensor q = split(attention->query(queries)), k = split(attention->key(x)),
                      v = split(attention->value(x));
  const torch::Tensor scores = torch::matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(q.size(-1)));
  const torch::Tensor later = torch::ones({tokens, tokens}, torch::kBool).triu(1);
  const torch::Tensor weights = torch::softmax(scores.masked_fill(later, -INFINITY), -1);
  return attention->output(torch::matmul(weights, v).transpose(1, 2).flatten(-2));
}

TEST(MultiHeadAttentionTest, BothKindsAreTheSoftmaxOverEachPrefix) {
  for (const bool aaren : {false, true}) {
    torch::manual_seed(1);
    MultiHeadAttention attention(Small(aaren));
    attention->to(torch::kFloat64);
    attention->eval();
    const torch::Tensor x = torch::randn({3, 7, 8}, torch::kFloat64);
    EXPECT_LT((attention(x) - Written(attention, x)).abs().max().item<double>(), kTolerance) << aaren;
  }
}

TEST(MultiHeadAttentionTest, AnAarenHasOneTokenMore) {
  EXPECT_EQ(Count(*MultiHeadAttention(Small(true))), Count(*MultiHeadAttention(Small(false))) + 8);
}

TEST(MultiHeadAttentionTest, DropoutWorksInTrainingOnly) {
  for (const bool aaren : {false, true}) {
    MultiHeadAttention attention(Small(aaren).dropout(0.5));
    const torch::Tensor x = torch::randn({1, 5, 8});
    EXPECT_FALSE(torch::equal(attention(x), attention(x))) << aaren;
    attention->eval();
    EXPECT_TRUE(torch::equal(attention(x), attention(x))) << aaren;
  }
}

TEST(EncoderTest, StepsEqualTheWholeSequence) {
  torch::manual_seed(2);
  Encoder encoder(Small(true), /*layers=*/3);
  encoder->eval();
  const torch::Tensor x = torch::randn({2, 20, 8}), whole = encoder(x);
  std::vector<attention::AttentionState> states = encoder->Start(2);
  for (int64_t t = 0; t < 20; ++t) {
    const torch::Tensor token = encoder->Step(states, x.select(1, t));
    EXPECT_LT((token - whole.select(1, t)).abs().max().item<float>(), 1e-5) << t;
  }
}

TEST(SinusoidalCodeTest, PairsTurnMoreAndMoreSlowly) {
  const torch::Tensor code = SinusoidalCode(torch::tensor({3.0f}), 4)[0];
  EXPECT_NEAR(code[0].item<double>(), std::sin(3.0), 1e-6);
  EXPECT_NEAR(code[1].item<double>(), std::cos(3.0), 1e-6);
  EXPECT_NEAR(code[2].item<double>(), std::sin(0.03), 1e-6);
  EXPECT_NEAR(code[3].item<double>(), std::cos(0.03), 1e-6);
}

TEST(WindowEmbeddingTest, ACircularWindowSeesBothNeighboursAndWrapsAround) {
  WindowEmbedding embedding(WindowEmbeddingOptions{.channels = 1, .width = 2});
  embedding->eval();
  torch::NoGradGuard no_grad;
  embedding->window.copy_(torch::tensor({1.0f, 10.0f, 100.0f}).expand({2, 1, 3}));
  const torch::Tensor x = torch::tensor({1.0f, 2.0f, 3.0f}).view({1, 3, 1});
  const torch::Tensor sums = (embedding(x) - SinusoidalCode(torch::arange(3.0f), 2))[0].select(1, 0);
  EXPECT_TRUE(torch::allclose(sums, torch::tensor({213.0f, 321.0f, 132.0f})));
}

TEST(WindowEmbeddingTest, ACausalWindowSeesTheTwoStepsBefore) {
  WindowEmbedding embedding(WindowEmbeddingOptions{.channels = 1, .width = 2, .causal = true});
  embedding->eval();
  torch::NoGradGuard no_grad;
  embedding->window.copy_(torch::tensor({1.0f, 10.0f, 100.0f}).expand({2, 1, 3}));
  const torch::Tensor x = torch::tensor({1.0f, 2.0f, 3.0f}).view({1, 3, 1});
  const torch::Tensor sums = (embedding(x) - SinusoidalCode(torch::arange(3.0f), 2))[0].select(1, 0);
  EXPECT_TRUE(torch::allclose(sums, torch::tensor({100.0f, 210.0f, 321.0f})));
}

TEST(Seq2SeqTest, HasTheParametersOfThePublishedTransformer) {
  // Time-Series-Library counts 10,540,039 for seven channels; an Aaren has a token of 512 more in each of three layers.
  EXPECT_EQ(Count(*Seq2Seq(Seq2SeqOptions{.channels = 7, .aaren = false})), 10'540'039);
  EXPECT_EQ(Count(*Seq2Seq(Seq2SeqOptions{.channels = 7, .aaren = true})), 10'540'039 + 3 * 512);
}

TEST(Seq2SeqTest, AForecastMovesWithItsSeries) {
  Seq2Seq model(Seq2SeqOptions{.channels = 2, .horizon = 5, .width = 16, .heads = 2, .mlp_width = 16});
  model->eval();
  const torch::Tensor x = torch::randn({3, 96, 2}), clock = torch::randn({3, 96, 4}), later = torch::randn({3, 53, 4});
  const torch::Tensor forecast = model(x, clock, later), moved = model(3 * x + 7, clock, later);
  EXPECT_EQ(forecast.sizes(), at::IntArrayRef({3, 5, 2}));
  // Not exactly: 1e-5 is added to the variance of either.
  EXPECT_LT((moved - (3 * forecast + 7)).abs().max().item<float>(), 1e-3);
}

TEST(Seq2SeqTest, AStreamedEncoderGivesTheOutputsOfTheWholeWindow) {
  torch::manual_seed(4);
  torch::NoGradGuard no_grad;
  Seq2Seq model(Seq2SeqOptions{.channels = 2, .causal_embedding = true, .width = 16, .heads = 2, .mlp_width = 16});
  model->eval();
  const torch::Tensor x = torch::randn({3, 96, 2}), clock = torch::randn({3, 96, 4});
  const torch::Tensor whole = model->encoder(model->encoder_embedding(x, clock));
  EncoderState state = StartEncoder(model->encoder_embedding, model->encoder, 3);
  for (int64_t t = 0; t < 96; ++t) {
    const absl::StatusOr<torch::Tensor> token =
        StepEncoder(model->encoder_embedding, model->encoder, state, x.select(1, t), clock.select(1, t));
    ASSERT_TRUE(token.ok()) << token.status();
    EXPECT_LT((*token - whole.select(1, t)).abs().max().item<float>(), 1e-5) << t;
  }
}

TEST(Seq2SeqTest, AnEncoderThatSeesTheNextStepDoesNotStream) {
  Seq2Seq model(Seq2SeqOptions{.width = 16, .heads = 2, .mlp_width = 16});
  EncoderState state = StartEncoder(model->encoder_embedding, model->encoder, 1);
  const auto token = StepEncoder(model->encoder_embedding, model->encoder, state, torch::zeros({1, 1}));
  EXPECT_EQ(token.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(state.position, 0);
}

}  // namespace
}  // namespace aaren::nn
