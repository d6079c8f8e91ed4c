#include "model/training/paper/experiments/classifier_training.h"

#include <torch/torch.h>

#include <algorithm>

namespace aaren::training {
namespace {

constexpr int64_t kBatch = 16;
constexpr double kClip = 4;

}  // namespace

Cases Cases::Select(const torch::Tensor& indices) const {
  return {values.index_select(0, indices), lengths.index_select(0, indices), labels.index_select(0, indices)};
}

Cases CasesOf(const classification::LabelledSet& set, int64_t steps) {
  const auto count = static_cast<int64_t>(set.cases.size()), channels = static_cast<int64_t>(set.channels());
  Cases cases = {torch::zeros({count, channels, steps}), torch::empty({count}, torch::kInt64),
                 torch::empty({count}, torch::kInt64)};
  for (int64_t i = 0; i < count; ++i) {
    const classification::LabelledSeries& one = set.cases[i];
    const auto length = std::min(steps, static_cast<int64_t>(one.length()));
    for (int64_t c = 0; c < channels; ++c) {
      cases.values[i][c].narrow(0, 0, length).copy_(torch::tensor(one.channels[c]).narrow(0, 0, length));
    }
    cases.lengths[i] = length;
    cases.labels[i] = one.label;
  }
  cases.values = cases.values.transpose(1, 2).contiguous();
  return cases;
}

ClassifierTraining::ClassifierTraining(const nn::ClassifierOptions& options)
    : classifier_(options), optimizer_(classifier_->parameters(), kClassifierRate) {}

double ClassifierTraining::Epoch(const Cases& train) {
  classifier_->train();
  double sum = 0;
  for (const torch::Tensor& indices : torch::randperm(train.count()).split(kBatch)) {
    const Cases batch = train.Select(indices);
    const torch::Tensor loss =
        torch::nn::functional::cross_entropy(classifier_(batch.values, batch.lengths), batch.labels);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(classifier_->parameters(), kClip);
    optimizer_.Step();
    sum += loss.item<double>() * static_cast<double>(batch.count());
  }
  return sum / static_cast<double>(train.count());
}

torch::Tensor ClassifierTraining::Probabilities(const Cases& cases, const torch::Tensor& lengths) {
  torch::NoGradGuard no_grad;
  classifier_->eval();
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& batch : torch::arange(cases.count()).split(kBatch)) {
    const torch::Tensor logits = classifier_(cases.values.index_select(0, batch), lengths.index_select(0, batch));
    parts.push_back(torch::softmax(logits, -1));
  }
  return torch::cat(parts);
}

double ClassifierTraining::Accuracy(const Cases& cases) {
  const torch::Tensor classes = Probabilities(cases, cases.lengths).argmax(-1);
  return 100 * classes.eq(cases.labels).to(torch::kFloat64).mean().item<double>();
}

double ClassifierTraining::Loss(const Cases& cases) {
  const torch::Tensor own = Probabilities(cases, cases.lengths).gather(1, cases.labels.unsqueeze(1));
  constexpr double kLeast = 1e-30;  // replaces a probability that rounds to 0
  return -own.to(torch::kFloat64).clamp_min(kLeast).log().mean().item<double>();
}

std::vector<classification::Unfolding> ClassifierTraining::Unfold(const Cases& cases) {
  std::vector<classification::Unfolding> all(cases.count());
  for (int share = 0; share < classification::kShares; ++share) {
    const torch::Tensor seen =
        torch::div(cases.lengths * (share + 1) + classification::kShares - 1, classification::kShares, "floor");
    const auto [confidence, classes] = Probabilities(cases, seen).max(-1);
    const torch::Tensor right = classes.eq(cases.labels);
    for (int64_t i = 0; i < cases.count(); ++i) {
      all[i].right[share] = right[i].item<bool>();
      all[i].confidence[share] = confidence[i].item<double>();
    }
  }
  return all;
}

}  // namespace aaren::training
