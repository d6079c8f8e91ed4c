#include "model/nn/forecaster.h"

#include <torch/torch.h>

#include <cmath>
#include <iterator>
#include <numbers>

namespace aaren {
namespace {

constexpr double kShortestPlain = 24, kShortestRotary = 300, kLongest = 2000;  // memories, in tokens
constexpr double kPeriods[] = {1008, 672, 504, 336, 288, 168, 144, 112, 96, 84, 72, 60, 56, 52, 48, 42,
                               36,   32,  30,  28,  24,  21,  20,  18,  16, 14, 12, 10, 8,  7,  6,  5};

// `count` rates of memories that go geometrically from the longest to the shortest.
void AppendRates(double shortest, int count, std::vector<double>& rates) {
  for (int i = 0; i < count; ++i) {
    const double share = count > 1 ? i / (count - 1.0) : 1;
    rates.push_back(std::pow(kLongest, share - 1) * std::pow(shortest, -share));
  }
}

// q, ascending in the last dimension: the median from the read-out and the skip, the others by cumulated softplus
// around it.
torch::Tensor Spread(const torch::Tensor& readout, const torch::Tensor& skip) {
  const int64_t count = readout.size(-1), middle = count / 2;
  const torch::Tensor median = readout.narrow(-1, middle, 1) + skip.unsqueeze(-1);
  const torch::Tensor gaps = torch::softplus(readout);
  const torch::Tensor above = median + gaps.narrow(-1, middle + 1, count - middle - 1).cumsum(-1);
  const torch::Tensor below = median - gaps.narrow(-1, 0, middle).flip(-1).cumsum(-1).flip(-1);
  return torch::cat({below, median, above}, -1);
}

}  // namespace

AarenOptions AttentionOptions(const ForecasterConfig& config) {
  const int plain = config.heads / 2, rotary = config.heads - plain, pairs = config.head_width() / 2;
  std::vector<double> decay, rates(plain * pairs);
  AppendRates(kShortestPlain, plain, decay);
  AppendRates(kShortestRotary, rotary, decay);
  for (int head = 0; head < rotary; ++head) {
    for (int pair = 0; pair < pairs; ++pair) {  // neighbours in the bank go to different heads
      rates.push_back(2 * std::numbers::pi / kPeriods[(pair * rotary + head) % std::size(kPeriods)]);
    }
  }
  return AarenOptions(config.width, config.heads).value_width(config.value_width).decay(decay).rates(rates).gate(true);
}

ForecasterImpl::ForecasterImpl(const ForecasterConfig& config) : config(config) { reset(); }

void ForecasterImpl::reset() {
  const int inputs = config.input_width(), outputs = config.horizon * config.quantile_count();
  embed_linear = register_module("embed_linear", torch::nn::Linear(inputs, config.width));
  embed_mlp = register_module("embed_mlp", GatedMlp(inputs, config.embed_hidden, config.width));
  blocks = register_module("blocks", torch::nn::ModuleList());
  for (int i = 0; i < config.layers; ++i) blocks->push_back(GatedBlock(AttentionOptions(config), config.mlp_hidden));
  norm = register_module("norm", RmsNorm(config.width));
  head = register_module("head", torch::nn::Linear(config.width, outputs));
  skip = register_module("skip", torch::nn::Linear(torch::nn::LinearOptions(inputs, config.horizon).bias(false)));
  torch::NoGradGuard no_grad;
  skip->weight.zero_();
  head->weight.mul_(0.1);
  head->bias.view({config.horizon, -1}).fill_(-1.2);  // gaps of softplus(-1.2) = 0.26 deviations
  head->bias.view({config.horizon, -1}).select(1, config.quantile_count() / 2).zero_();
}

ForecasterImpl::Readout ForecasterImpl::Read(const torch::Tensor& features, const std::vector<int64_t>& positions) {
  const torch::Tensor at = torch::tensor(positions, torch::kInt64).to(features.device());
  torch::Tensor x = embed_linear(features) + embed_mlp(features);
  for (const auto& block : *blocks) x = block->as<GatedBlock>()->forward(x, at);
  return {.readout = head(norm(x)).unflatten(-1, {config.horizon, config.quantile_count()}), .skip = skip(features)};
}

torch::Tensor ForecasterImpl::forward(const torch::Tensor& features, const std::vector<int64_t>& positions) {
  const Readout read = Read(features, positions);
  return Spread(read.readout, read.skip);
}

torch::Tensor ForecasterImpl::Forecast(const torch::Tensor& values, const std::vector<int64_t>& positions) {
  const Encoding encoding = Encode(config, values, positions, embed_linear->weight.scalar_type());
  const torch::Tensor features = encoding.features.to(embed_linear->weight.device());
  const torch::Tensor quantiles = forward(features, positions).to(torch::kCPU, torch::kFloat64);
  return encoding.center.unsqueeze(-1).unsqueeze(-1) + encoding.scale.unsqueeze(-1).unsqueeze(-1) * quantiles;
}

}  // namespace aaren
