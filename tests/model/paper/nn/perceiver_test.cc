#include "model/paper/nn/perceiver.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/attention/attention_state.h"
#include "tests/model/distance.h"
#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

constexpr int64_t kWidth = 12, kHeads = 3, kLatents = 5;

Perceiver Exact(int64_t rounds) {
  torch::manual_seed(41);
  Perceiver perceiver = MakePerceiver(PerceiverOptions(kWidth, kHeads, kLatents).rounds(rounds)).value();
  perceiver->to(torch::kFloat64);
  return perceiver;
}

// For latents up to 5 in size, after at most three rounds over at most 70 tokens.
const double kRounding = 5 * NetworkRounding(3, 70, kWidth, kDoubleUnit);

torch::Tensor RandomTokens(int64_t tokens) {
  torch::manual_seed(tokens);
  return torch::randn({2, tokens, kWidth}, torch::kFloat64);
}

// A round by the definition: a sequence, a latent and a head at a time.
torch::Tensor Round(Perceiver& p, const torch::Tensor& z, const torch::Tensor& x) {
  const int64_t head_width = kWidth / kHeads;
  std::vector<torch::Tensor> latents;
  for (int64_t l = 0; l < kLatents; ++l) {
    const torch::Tensor q = p->query(torch::layer_norm(z[l], {kWidth}));
    std::vector<torch::Tensor> heads;
    for (int64_t h = 0; h < kHeads; ++h) {
      const auto part = [&](const torch::Tensor& y) { return y.narrow(-1, h * head_width, head_width); };
      const torch::Tensor scores = torch::mv(part(p->key(x)), part(q)) / std::sqrt(static_cast<double>(head_width));
      heads.push_back(torch::mv(part(p->value(x)).t(), torch::softmax(scores, 0)));
    }
    latents.push_back(z[l] + p->output(torch::cat(heads)));
  }
  return torch::stack(latents);
}

class PerceiverAttentionTest : public ::testing::Test {
 protected:
  PerceiverAttentionTest() { torch::set_num_threads(1); }  // hundreds of products too small for several threads
};

TEST_F(PerceiverAttentionTest, FollowsItsDefinition) {
  for (const int64_t rounds : {1, 3}) {
    Perceiver perceiver = Exact(rounds);
    const torch::Tensor x = RandomTokens(9), latents = perceiver(x).value();
    ASSERT_EQ(latents.sizes(), (std::vector<int64_t>{2, kLatents, kWidth}));
    torch::Tensor z = perceiver->latents;
    for (int64_t round = 0; round < rounds; ++round) z = Round(perceiver, z, x[1]);
    EXPECT_LT(Distance(latents[1], z), kRounding) << rounds << " rounds";
  }
}

TEST_F(PerceiverAttentionTest, StepEqualsForwardOverTheInputsSoFar) {
  Perceiver perceiver = Exact(2);
  const torch::Tensor x = RandomTokens(70);
  MixerState state = perceiver->Start(2);
  for (int64_t i = 0; i < 70; ++i) {
    const torch::Tensor latents = perceiver->Step(state, x.select(1, i)).value();
    EXPECT_LT(Distance(latents, perceiver(x.narrow(1, 0, i + 1)).value()), kRounding) << "input " << i;
  }
}

TEST_F(PerceiverAttentionTest, EveryStepReadsAllInputsAgain) {
  Perceiver perceiver = Exact(2);
  MixerState state = perceiver->Start(2);
  const torch::Tensor x = RandomTokens(20);
  for (int64_t i = 0; i < 20; ++i) ASSERT_TRUE(perceiver->Step(state, x.select(1, i)).ok());
  EXPECT_EQ(state.folds, 2 * kLatents * 20 * 21 / 2);
  ASSERT_EQ(state.tensors.size(), 1u);
  EXPECT_TRUE(torch::equal(state.tensors[0].narrow(1, 0, 20), x));
}

// Attention of the latents z [L, d] to x [N, d] by folding the inputs singly, plus z. A recurrence over the inputs can
// do no more, because a recurrence must know the queries before the inputs.
torch::Tensor Folded(Perceiver& p, const torch::Tensor& z, const torch::Tensor& x) {
  const auto heads = [](const torch::Tensor& y) { return y.unflatten(-1, {kHeads, -1}); };
  const torch::Tensor q = heads(p->query(p->norm(z))) / std::sqrt(static_cast<double>(kWidth / kHeads));  // [L, H, d_h]
  attention::AttentionState state = attention::EmptyState({kLatents, kHeads}, kWidth / kHeads, torch::kFloat64);
  for (int64_t i = 0; i < x.size(0); ++i) {
    const torch::Tensor scores = (q * heads(p->key(x[i]))).sum(-1);
    state = attention::Fold(state, scores, heads(p->value(x[i])).expand({kLatents, -1, -1}));
  }
  return z + p->output(attention::Output(state).flatten(-2));
}

TEST_F(PerceiverAttentionTest, OneRoundCanBeFoldedInputByInput) {
  Perceiver perceiver = Exact(1);
  const torch::Tensor x = RandomTokens(30);
  EXPECT_LT(Distance(perceiver(x).value()[0], Folded(perceiver, perceiver->latents, x[0])), kRounding);
}

// The second round's queries are known only after all inputs: queries from earlier inputs are wrong for the next input.
TEST_F(PerceiverAttentionTest, SecondRoundAsksAnewWithEveryInput) {
  Perceiver perceiver = Exact(2);
  const torch::Tensor x = RandomTokens(30)[0];
  const torch::Tensor all = Folded(perceiver, perceiver->latents, x);
  const torch::Tensor before = Folded(perceiver, perceiver->latents, x.narrow(0, 0, 29));
  const torch::Tensor latents = perceiver(x.unsqueeze(0)).value()[0];
  EXPECT_LT(Distance(latents, Folded(perceiver, all, x)), kRounding);
  EXPECT_GT(Distance(latents - all, Folded(perceiver, before, x) - before), 1e-6);
}

TEST_F(PerceiverAttentionTest, OrderOfTheInputsDoesNotMatter) {
  Perceiver perceiver = Exact(3);
  const torch::Tensor x = RandomTokens(12);
  EXPECT_LT(Distance(perceiver(x).value(), perceiver(x.flip(1)).value()), kRounding);
}

TEST_F(PerceiverAttentionTest, WrongInputsAreNamed) {
  Perceiver perceiver = Exact(2);
  EXPECT_EQ(perceiver(torch::zeros({2, 5, 7}, torch::kFloat64)).status().message(),
            "x has shape [2, 5, 7]; [*, *, 12] is needed");
  EXPECT_EQ(perceiver(torch::zeros({2, 5, 12})).status().message(), "x is Float; latents is Double");
  EXPECT_EQ(perceiver(torch::zeros({2, 0, 12}, torch::kFloat64)).status().message(),
            "the number of inputs in x is 0; at least 1 is needed");
  MixerState state = perceiver->Start(2);
  EXPECT_EQ(perceiver->Step(state, torch::zeros({3, 12}, torch::kFloat64)).status().message(),
            "x has shape [3, 12]; [2, 12] is needed");
  EXPECT_EQ(state.tokens, 0);
}

TEST_F(PerceiverAttentionTest, WrongOptionsAreNamed) {
  const auto message = [](const PerceiverOptions& options) {
    const absl::Status status = MakePerceiver(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_EQ(message({10, 4, 5}), "width is 10; a positive multiple of the 4 heads is needed");
  EXPECT_EQ(message({12, 4, 0}), "latents is 0; at least 1 is needed");
  EXPECT_EQ(message(PerceiverOptions(12, 4, 5).rounds(0)), "rounds is 0; at least 1 is needed");
}

}  // namespace
}  // namespace aaren::nn
