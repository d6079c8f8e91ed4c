#include "model/paper/nn/block.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <limits>
#include <memory>

#include "model/paper/nn/softmax_mixer.h"
#include "tests/model/distance.h"
#include "tests/model/rounding.h"

namespace aaren::nn {
namespace {

constexpr MixerKind kMixerKinds[] = {MixerKind::kAaren, MixerKind::kSoftmax, MixerKind::kLinear,
                                     MixerKind::kRecomputed};

Block Exact(const BlockOptions& options) {
  torch::manual_seed(11);
  Block block = MakeBlock(options).value();
  block->to(torch::kFloat64);
  return block;
}

// For the outputs of one block of width 12 and inner width 48, up to 5 in size, after 20 tokens.
const double kRounding = 5 * NetworkRounding(1, 20, 48, kDoubleUnit);

torch::Tensor RandomTokens() {
  torch::manual_seed(12);
  return torch::randn({2, 20, 12}, torch::kFloat64);
}

int64_t ParameterCount(const torch::nn::Module& module) {
  int64_t count = 0;
  for (const torch::Tensor& parameter : module.parameters()) count += parameter.numel();
  return count;
}

TEST(ParameterCountTest, TransformerBlockHasThePapersCount) {
  for (const int64_t heads : {1, 4, 8}) {
    EXPECT_EQ(ParameterCount(*MakeBlock(MixerOptions(MixerKind::kSoftmax, 512, heads)).value()), 3152384);
    EXPECT_EQ(ParameterCount(*MakeBlock(MixerOptions(MixerKind::kRecomputed, 512, heads)).value()), 3152384);
  }
}

TEST(ParameterCountTest, AarenBlockHasThePapersCount) {
  for (const int64_t heads : {1, 4, 8}) {
    EXPECT_EQ(ParameterCount(*MakeBlock(MixerOptions(MixerKind::kAaren, 512, heads)).value()), 3152896);
  }
}

// torch's own Transformer layer with the block's weights.
torch::nn::TransformerEncoderLayer TorchsLayer(const Block& block) {
  const int64_t width = block->options.mixer().width(), heads = block->options.mixer().heads();
  torch::nn::TransformerEncoderLayer layer(torch::nn::TransformerEncoderLayerOptions(width, heads)
                                               .dim_feedforward(4 * width)
                                               .dropout(0)
                                               .activation(torch::kGELU));
  layer->to(torch::kFloat64);
  torch::NoGradGuard no_grad;
  const auto& mixer = *block->mixer->as<SoftmaxMixerImpl>();
  layer->self_attn->in_proj_weight.copy_(torch::cat({mixer.query->weight, mixer.key->weight, mixer.value->weight}));
  layer->self_attn->in_proj_bias.copy_(torch::cat({mixer.query->bias, mixer.key->bias, mixer.value->bias}));
  const auto copy = [](const auto& from, const auto& to) {
    to->weight.copy_(from->weight);
    to->bias.copy_(from->bias);
  };
  copy(mixer.output, layer->self_attn->out_proj);
  copy(block->up, layer->linear1);
  copy(block->down, layer->linear2);
  return layer;
}

class BlockTest : public ::testing::Test {
 protected:
  BlockTest() { torch::set_num_threads(1); }  // hundreds of products too small for several threads
};

TEST_F(BlockTest, SoftmaxBlockEqualsTorchsTransformerLayer) {
  Block block = Exact(MixerOptions(MixerKind::kSoftmax, 12, 3));
  const torch::Tensor x = RandomTokens();
  const torch::Tensor mask =
      torch::zeros({20, 20}, torch::kFloat64)
          .masked_fill(torch::ones({20, 20}, torch::kBool).triu(1), -std::numeric_limits<double>::infinity());
  const torch::Tensor expected = TorchsLayer(block)->forward(x.transpose(0, 1), mask).transpose(0, 1);
  EXPECT_LT(Distance(block(x).value(), expected), kRounding);
}

TEST_F(BlockTest, NormFirstNormalisesWhatEntersTheBranches) {
  Block block = Exact(BlockOptions(MixerOptions(MixerKind::kAaren, 12, 3)).norm_first(true));
  const torch::Tensor x = RandomTokens();
  const torch::Tensor y = x + block->mixer->forward(torch::layer_norm(x, {12})).value();
  const torch::Tensor hidden = torch::gelu(block->up(torch::layer_norm(y, {12})));
  EXPECT_LT(Distance(block(x).value(), y + block->down(hidden)), kRounding);
}

TEST_F(BlockTest, StepEqualsForward) {
  for (const MixerKind kind : kMixerKinds) {
    for (const bool norm_first : {false, true}) {
      Block block = Exact(BlockOptions(MixerOptions(kind, 12, 3)).norm_first(norm_first));
      const torch::Tensor x = RandomTokens(), whole = block(x).value();
      MixerState state = block->Start(2);
      for (int64_t i = 0; i < x.size(1); ++i) {
        const torch::Tensor output = block->Step(state, x.select(1, i)).value();
        EXPECT_LT(Distance(output, whole.select(1, i)), kRounding) << MixerName(kind) << ", token " << i;
      }
    }
  }
}

TEST_F(BlockTest, CloneHasItsOwnEqualWeights) {
  for (const MixerKind kind : kMixerKinds) {
    Block block = Exact(MixerOptions(kind, 12, 3));
    const torch::Tensor x = RandomTokens(), expected = block(x).value();
    Block clone(std::dynamic_pointer_cast<BlockImpl>(block->clone()));
    EXPECT_TRUE(torch::equal(clone(x).value(), expected)) << MixerName(kind);
    torch::NoGradGuard no_grad;
    for (torch::Tensor& parameter : clone->parameters()) parameter.zero_();
    EXPECT_TRUE(torch::equal(block(x).value(), expected)) << MixerName(kind);
  }
}

TEST_F(BlockTest, WrongInputsAreRefusedBeforeTheNorm) {
  Block block = Exact(BlockOptions(MixerOptions(MixerKind::kAaren, 12, 3)).norm_first(true));
  EXPECT_EQ(block(torch::zeros({2, 5, 7}, torch::kFloat64)).status().message(),
            "x has shape [2, 5, 7]; [*, *, 12] is needed");
  MixerState state = block->Start(2);
  EXPECT_EQ(block->Step(state, torch::zeros({2, 7}, torch::kFloat64)).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(BlockTest, WrongOptionsAreNamed) {
  const absl::Status heads = MakeBlock(MixerOptions(MixerKind::kAaren, 10, 4)).status();
  EXPECT_EQ(heads.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(heads.message(), "width is 10; a positive multiple of the 4 heads is needed");
  const absl::Status mlp = MakeBlock(BlockOptions(MixerOptions(MixerKind::kAaren, 12, 4)).mlp_width(0)).status();
  EXPECT_EQ(mlp.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(mlp.message(), "mlp_width is 0; at least 1 is needed beside width 12");
}

}  // namespace
}  // namespace aaren::nn
