#include "model/training/events/event_loss.h"

#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "model/engine/events/sizes.h"
#include "model/training/events/mark_loss.h"
#include "model/training/events/time_loss.h"

namespace aaren::training {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kNumbers = events::kTimeNumbers, kMiddle = events::kMarkHidden;

// The share of each token in the mean.
std::vector<float> Shares(const EventBatch& batch) {
  const double whole = std::accumulate(batch.weights.begin(), batch.weights.end(), 0.0);
  std::vector<float> shares = batch.weights;
  for (float& share : shares) share = whole > 0 ? static_cast<float>(share / whole) : 0.0f;
  return shares;
}

void Scale(float* numbers, int64_t count, float factor) {
  for (int64_t i = 0; i < count; ++i) numbers[i] *= factor;
}

// A memory without copies; the tensor must not outlive the numbers.
torch::Tensor View(const std::vector<float>& numbers, at::IntArrayRef sizes) {
  return torch::from_blob(const_cast<float*>(numbers.data()), sizes);
}

struct TimePart : torch::autograd::Function<TimePart> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& numbers, const EventBatch* batch,
                               const std::vector<float>* shares) {
    torch::Tensor gradient = torch::zeros_like(numbers);
    const float* from = numbers.const_data_ptr<float>();
    float* to = gradient.mutable_data_ptr<float>();
    double loss = 0;
    for (size_t t = 0; t < shares->size(); ++t) {
      const float share = (*shares)[t];
      if (share == 0) continue;
      float* by = to + static_cast<int64_t>(t) * kNumbers;
      loss += share * TimeLoss(from + static_cast<int64_t>(t) * kNumbers, batch->targets[t], by);
      Scale(by, kNumbers, share);
    }
    context->save_for_backward({gradient});
    return torch::tensor(static_cast<float>(loss));
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    return {context->get_saved_variables()[0] * gradients[0], torch::Tensor(), torch::Tensor()};
  }
};

// The mark head's tensors, or the gradients at them.
struct MarkTensors {
  torch::Tensor middle, token, line, fresh, hidden;

  MarkTensors Zeros() const {
    return {torch::zeros_like(middle), torch::zeros_like(token), torch::zeros_like(line), torch::zeros_like(fresh),
            torch::zeros_like(hidden)};
  }
  MarkForecast At(int64_t t, const EventBatch& batch) const {
    const int64_t first = batch.first_mark[t];
    return {.known = batch.first_mark[t + 1] - first,
            .middle = middle.const_data_ptr<float>() + first * kMiddle,
            .inputs = batch.marks.data() + first * kMarkStride,
            .token = token.const_data_ptr<float>() + t * kMiddle,
            .line = line.const_data_ptr<float>() + t * kMarkStride,
            .hidden = hidden.const_data_ptr<float>(),
            .fresh = fresh.const_data_ptr<float>()[t]};
  }
};

struct MarkPart : torch::autograd::Function<MarkPart> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& middle, const torch::Tensor& token,
                               const torch::Tensor& line, const torch::Tensor& fresh, const torch::Tensor& hidden,
                               const EventBatch* batch, const std::vector<float>* shares) {
    const MarkTensors tensors = {middle, token, line, fresh, hidden};
    MarkTensors by = tensors.Zeros();
    std::vector<float> by_hidden(kMiddle);
    double loss = 0;
    for (int64_t t = 0; t < static_cast<int64_t>(shares->size()); ++t) {
      const float share = (*shares)[t];
      if (share == 0) continue;
      const MarkForecast forecast = tensors.At(t, *batch);
      std::fill(by_hidden.begin(), by_hidden.end(), 0.0f);
      MarkGradient gradient = {.middle = by.middle.mutable_data_ptr<float>() + batch->first_mark[t] * kMiddle,
                               .token = by.token.mutable_data_ptr<float>() + t * kMiddle,
                               .line = by.line.mutable_data_ptr<float>() + t * kMarkStride,
                               .hidden = by_hidden.data(),
                               .fresh = 0};
      loss += share * MarkLoss(forecast, batch->targets[t].mark, gradient);
      Scale(gradient.middle, forecast.known * kMiddle, share);
      Scale(gradient.token, kMiddle, share);
      Scale(gradient.line, kMarkStride, share);
      by.fresh.mutable_data_ptr<float>()[t] = share * gradient.fresh;
      for (int64_t j = 0; j < kMiddle; ++j) by.hidden.mutable_data_ptr<float>()[j] += share * by_hidden[j];
    }
    context->save_for_backward({by.middle, by.token, by.line, by.fresh, by.hidden});
    return torch::tensor(static_cast<float>(loss));
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    tensor_list by = context->get_saved_variables();
    for (torch::Tensor& one : by) one = one * gradients[0];
    by.insert(by.end(), 2, torch::Tensor());
    return by;
  }
};

}  // namespace

EventLoss ComputeEventLoss(nn::EventNetwork& network, const EventBatch& batch) {
  const std::vector<float> shares = Shares(batch);
  const auto inputs = static_cast<int64_t>(events::kInputs), mark_inputs = static_cast<int64_t>(events::kMarkInputs);
  const nn::EventOutputs out =
      network(View(batch.inputs, {batch.rows, batch.tokens, inputs}), View(batch.elapsed, {batch.rows, batch.tokens}));
  const torch::Tensor marks = View(batch.marks, {batch.first_mark.back(), kMarkStride}).narrow(1, 0, mark_inputs);
  const torch::Tensor line = torch::constant_pad_nd(out.mark_line, {0, kMarkStride - mark_inputs});
  return {
      .time = TimePart::apply(out.time.contiguous(), &batch, &shares),
      .mark = MarkPart::apply(network->mark_input(marks), out.mark_token.contiguous(), line.contiguous(),
                              out.mark_new.contiguous(), network->mark_hidden->weight.contiguous(), &batch, &shares)};
}

}  // namespace aaren::training
