#include "model/nn/forecaster/source_mixture.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

namespace aaren::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr int64_t kSources = 4, kParts = kSources + 1, kSeasons = 3;
constexpr int64_t kGrain = 64;  // the least rows that a thread takes

// Calls row(n) for each row, on all threads.
template <typename Row>
void ForEachRow(int64_t rows, const Row& row) {
  at::parallel_for(0, rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) row(n);
  });
}

void Multiply(const float* w, const float* part, int64_t steps, float* out) {
  for (int64_t h = 0; h < steps; ++h) out[h] = w[h] * part[h];
}

void AddProduct(const float* w, const float* part, int64_t steps, float* out) {
  for (int64_t h = 0; h < steps; ++h) out[h] += w[h] * part[h];
}

// The source and its correction are added before the product.
void MultiplyCorrected(const float* w, const float* source, const float* added, int64_t steps, float* out) {
  for (int64_t h = 0; h < steps; ++h) out[h] = w[h] * (source[h] + added[h]);
}

void AddCorrected(const float* w, const float* source, const float* added, int64_t steps, float* out) {
  for (int64_t h = 0; h < steps; ++h) out[h] += w[h] * (source[h] + added[h]);
}

struct Fused : torch::autograd::Function<Fused> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& weights, const torch::Tensor& skip,
                               const torch::Tensor& sources, const torch::Tensor& added0, const torch::Tensor& added1,
                               const torch::Tensor& added2) {
    context->save_for_backward({weights, skip, sources, added0, added1, added2});
    const int64_t steps = skip.size(-1);
    torch::Tensor mixed = torch::empty_like(skip);
    const float *w = weights.const_data_ptr<float>(), *u = skip.const_data_ptr<float>(),
                *s = sources.const_data_ptr<float>();
    const float* added[] = {added0.const_data_ptr<float>(), added1.const_data_ptr<float>(),
                            added2.const_data_ptr<float>()};
    float* out = mixed.mutable_data_ptr<float>();
    ForEachRow(skip.numel() / steps, [&](int64_t n) {
      const float *wn = w + n * kParts * steps, *sn = s + n * kSources * steps;
      Multiply(wn, u + n * steps, steps, out + n * steps);
      AddProduct(wn + steps, sn, steps, out + n * steps);
      for (int64_t k = 0; k < kSeasons; ++k) {
        AddCorrected(wn + (k + 2) * steps, sn + (k + 1) * steps, added[k] + n * steps, steps, out + n * steps);
      }
    });
    return mixed;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const tensor_list saved = context->get_saved_variables();
    const torch::Tensor incoming = gradients[0].contiguous();
    const int64_t steps = incoming.size(-1);
    torch::Tensor by_weights = torch::empty_like(saved[0]), by_skip = torch::empty_like(incoming);
    const float *g = incoming.const_data_ptr<float>(), *w = saved[0].const_data_ptr<float>(),
                *u = saved[1].const_data_ptr<float>(), *s = saved[2].const_data_ptr<float>();
    float *dw = by_weights.mutable_data_ptr<float>(), *du = by_skip.mutable_data_ptr<float>();
    tensor_list by_added;
    for (int64_t k = 0; k < kSeasons; ++k) by_added.push_back(torch::empty_like(incoming));
    ForEachRow(incoming.numel() / steps, [&](int64_t n) {
      const float *gn = g + n * steps, *wn = w + n * kParts * steps, *sn = s + n * kSources * steps;
      float* dwn = dw + n * kParts * steps;
      Multiply(gn, wn, steps, du + n * steps);
      Multiply(gn, u + n * steps, steps, dwn);
      Multiply(gn, sn, steps, dwn + steps);
      for (int64_t k = 0; k < kSeasons; ++k) {
        const float* added = saved[3 + k].const_data_ptr<float>() + n * steps;
        MultiplyCorrected(gn, sn + (k + 1) * steps, added, steps, dwn + (k + 2) * steps);
        Multiply(gn, wn + (k + 2) * steps, steps, by_added[k].mutable_data_ptr<float>() + n * steps);
      }
    });
    return {by_weights, by_skip, {}, by_added[0], by_added[1], by_added[2]};
  }
};

// Mixes by operations of torch: for any type and device, and as the reference for the tests of the fused operation.
torch::Tensor Unfused(const torch::Tensor& weights, const torch::Tensor& skip, const torch::Tensor& sources,
                      const std::array<torch::Tensor, 3>& added) {
  std::vector<torch::Tensor> parts = {skip, sources.select(-2, 0)};
  for (int64_t k = 0; k < kSeasons; ++k) parts.push_back(sources.select(-2, k + 1) + added[k]);
  return (weights * torch::stack(parts, -2)).sum(-2);
}

}  // namespace

torch::Tensor MixParts(const torch::Tensor& weights, const torch::Tensor& skip, const torch::Tensor& sources,
                       const std::array<torch::Tensor, 3>& added) {
  const bool fused = weights.device().is_cpu() && weights.scalar_type() == torch::kFloat32;
  if (!fused) return Unfused(weights, skip, sources, added);
  return Fused::apply(weights.contiguous(), skip.contiguous(), sources.contiguous(), added[0].contiguous(),
                      added[1].contiguous(), added[2].contiguous());
}

}  // namespace aaren::nn
