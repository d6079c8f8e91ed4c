#include "model/nn/forecaster/forecaster.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>

#include "model/nn/forecaster/quantiles.h"
#include "model/nn/forecaster/source_mixture.h"
#include "model/season/sources.h"

namespace aaren::nn {
namespace {

// Where training starts: decays are learned, so a head may leave this range.
constexpr double kShortestPlain = 24, kShortestRotary = 300, kLongest = 2000;  // memories, in tokens
constexpr double kSkipAtFirst = 0.6;                                           // the skip's share at first
// Calendar periods at common sampling intervals: 288 values of five minutes, 96 quarter hours or 24 hours make a day,
// and 168 hours a week. Log-spaced periods were worse in a first comparison (0.672 of seasonal naive's error, against
// 0.661).
constexpr double kPeriods[] = {1008, 672, 504, 336, 288, 168, 144, 112, 96, 84, 72, 60, 56, 52, 48, 42,
                               36,   32,  30,  28,  24,  21,  20,  18,  16, 14, 12, 10, 8,  7,  6,  5};

// Appends `count` rates whose memories form a geometric sequence from the longest to the shortest.
void AppendRates(double shortest, int count, std::vector<double>& rates) {
  for (int i = 0; i < count; ++i) {
    const double share = count > 1 ? i / (count - 1.0) : 1;
    rates.push_back(std::pow(kLongest, share - 1) * std::pow(shortest, -share));
  }
}

// [k, T]: linear weights between knots; before the first knot, the first knot's own.
torch::Tensor Interpolation(const std::vector<int>& knots) {
  torch::Tensor shares = torch::zeros({static_cast<int64_t>(knots.size()), knots.back()}, torch::kFloat64);
  auto at = shares.accessor<double, 2>();
  for (int step = 1; step <= knots.back(); ++step) {
    const auto after = std::lower_bound(knots.begin(), knots.end(), step);
    const int64_t upper = after - knots.begin();
    const double fraction = upper == 0 ? 1 : (step - *(after - 1)) / static_cast<double>(*after - *(after - 1));
    at[upper][step - 1] = fraction;
    if (upper > 0) at[upper - 1][step - 1] = 1 - fraction;
  }
  return shares.to(torch::get_default_dtype_as_scalartype());
}

}  // namespace

AarenOptions AttentionOptions(const package::ForecasterConfig& config) {
  const int plain = config.heads / 2, rotary = config.heads - plain, pairs = config.head_width() / 2;
  // Rates of plain heads stay 0: their pairs never turn.
  std::vector<double> decay, rates(plain * pairs);
  AppendRates(kShortestPlain, plain, decay);
  AppendRates(kShortestRotary, rotary, decay);
  for (int head = 0; head < rotary; ++head) {
    for (int pair = 0; pair < pairs; ++pair) {  // spreads neighbouring periods of the bank over different heads
      rates.push_back(2 * std::numbers::pi / kPeriods[(pair * rotary + head) % std::size(kPeriods)]);
    }
  }
  return AarenOptions(config.width, config.heads).value_width(config.value_width).decay(decay).rates(rates).gate(true);
}

ForecasterImpl::ForecasterImpl(const package::ForecasterConfig& config) : config(config) { reset(); }

void ForecasterImpl::reset() {
  const int inputs = config.input_width(), outputs = config.horizon * config.quantile_count();
  embed_linear = register_module("embed_linear", torch::nn::Linear(inputs, config.width));
  embed_mlp = register_module("embed_mlp", GatedMlp(inputs, config.embed_hidden, config.width));
  blocks = register_module("blocks", torch::nn::ModuleList());
  for (int i = 0; i < config.layers; ++i) blocks->push_back(GatedBlock(AttentionOptions(config), config.mlp_hidden));
  norm = register_module("norm", RmsNorm(config.width));
  head = register_module("head", torch::nn::Linear(config.width, outputs));
  skip = register_module("skip", torch::nn::Linear(torch::nn::LinearOptions(inputs, config.horizon).bias(false)));
  if (config.seasons) ResetSeasons();
  torch::NoGradGuard no_grad;
  // Before training, the median is then close to the ring's mean for any input, and intervals have nearly one width.
  skip->weight.zero_();
  head->weight.mul_(0.1);
  head->bias.view({config.horizon, -1}).fill_(-1.2);  // gaps of softplus(-1.2) = 0.26 deviations
  head->bias.view({config.horizon, -1}).select(1, config.quantile_count() / 2).zero_();
}

void ForecasterImpl::ResetSeasons() {
  const std::vector<int> knots = config.season_knots();
  const int64_t count = static_cast<int64_t>(knots.size()), parts = package::ForecasterConfig::kSeasonalParts;
  season_gate = register_module("season_gate", torch::nn::Linear(config.width, count * parts));
  season_residuals = register_module("season_residuals", torch::nn::ModuleList());
  for (int64_t source = 0; source < parts - 2; ++source) {  // all sources except the last value
    season_residuals->push_back(torch::nn::Linear(
        torch::nn::LinearOptions(package::ForecasterConfig::kSeasonalResiduals, config.horizon).bias(false)));
  }
  season_interpolation = register_buffer("season_interpolation", Interpolation(knots));
  torch::NoGradGuard no_grad;
  for (const auto& residual : *season_residuals) residual->as<torch::nn::Linear>()->weight.zero_();
  season_gate->weight.zero_();
  season_gate->bias.zero_();
  // With a matrix of zeros, the softmax of this bias gives the skip a share of 0.6 and each source a share of 0.1.
  const double others = (1 - kSkipAtFirst) / static_cast<double>(parts - 1);
  season_gate->bias.view({count, parts}).select(1, 0).fill_(std::log(kSkipAtFirst / others));
}

torch::Tensor ForecasterImpl::MixSources(const torch::Tensor& y, const torch::Tensor& skipped,
                                         const Encoding& encoding) {
  const torch::Tensor logits = season_gate(y).unflatten(-1, {-1, package::ForecasterConfig::kSeasonalParts});
  // Interpolation comes after the softmax (rule 10.12): weights that sum to 1 at both knots sum to 1 at every step
  // between.
  const torch::Tensor weights =
      torch::matmul(logits.softmax(-1).transpose(-1, -2), season_interpolation);  // [.., 5, T]
  const torch::Tensor sources = encoding.sources.to(y.device()), residuals = encoding.residuals.to(y.device());
  std::array<torch::Tensor, season::kSourceCount - season::kSeasonAgo> added;
  for (size_t i = 0; i < added.size(); ++i) {
    added[i] = season_residuals[i]->as<torch::nn::Linear>()->forward(residuals.select(-2, static_cast<int64_t>(i)));
  }
  return MixParts(weights, skipped, sources, added);
}

ForecasterImpl::Readout ForecasterImpl::Read(const Encoding& encoding, const std::vector<int64_t>& positions) {
  const torch::Tensor features = encoding.features.to(head->weight.device());
  const torch::Tensor at = torch::tensor(positions, torch::kInt64).to(features.device());
  torch::Tensor x = embed_linear(features) + embed_mlp(features);
  for (const auto& block : *blocks) x = block->as<GatedBlock>()->forward(x, at);
  const torch::Tensor y = norm(x), skipped = skip(features);
  return {.readout = head(y).unflatten(-1, {config.horizon, config.quantile_count()}),
          .skip = config.seasons ? MixSources(y, skipped, encoding) : skipped};
}

torch::Tensor ForecasterImpl::forward(const Encoding& encoding, const std::vector<int64_t>& positions) {
  const Readout read = Read(encoding, positions);
  return WidenAfterGaps(Spread(read.readout, read.skip), encoding.gap);
}

torch::Tensor ForecasterImpl::Forecast(const torch::Tensor& values, const std::vector<int64_t>& positions) {
  const Encoding encoding = Encode(config, values, positions, embed_linear->weight.scalar_type());
  const torch::Tensor quantiles = forward(encoding, positions).to(torch::kCPU, torch::kFloat64);
  return encoding.center.unsqueeze(-1).unsqueeze(-1) + encoding.scale.unsqueeze(-1).unsqueeze(-1) * quantiles;
}

}  // namespace aaren::nn
