#ifndef AAREN_MODEL_PAPER_ATTENTION_FORMS_FORM_H_
#define AAREN_MODEL_PAPER_ATTENTION_FORMS_FORM_H_

// AttentionForm names the ways to evaluate attention with a constant query, all with the same outputs (paper, §3). A
// test or a comparison chooses a form by one word:
//
//   kRecurrent      token by token, O(1) memory                                   recurrent.h
//   kBlockwise      block by block, O(b) memory                                   blockwise.h
//   kHillisSteele   parallel prefix scan, the paper's Algorithm 1, O(N log N)     prefix_scan.h
//   kBrentKung      parallel prefix scan, work-efficient, O(N)                    prefix_scan.h
//   kChunked        parallel prefix scan over chunks, O(N)                        prefix_scan.h
//   kDense          the matrix of all weights, O(N^2)                             dense.h
//   kScan           the fused scan that training uses                             scan.h

#include <torch/types.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/attention/forgetting.h"

namespace aaren::attention {

enum class AttentionForm { kRecurrent, kBlockwise, kHillisSteele, kBrentKung, kChunked, kDense, kScan };

inline constexpr AttentionForm kAttentionForms[] = {
    AttentionForm::kRecurrent, AttentionForm::kBlockwise, AttentionForm::kHillisSteele, AttentionForm::kBrentKung,
    AttentionForm::kChunked,   AttentionForm::kDense,     AttentionForm::kScan};

// "recurrent", "blockwise", "hillis-steele", "brent-kung", "chunked", "dense", "scan".
absl::string_view AttentionFormName(AttentionForm form);

//   scores  [*, N], < inf; -inf masks a token, even if its value is NaN. With forgetting [*, H, N].
//   values  [*, N, D]
// Returns [*, N, D], zeros while every token so far is masked; equal for all forms up to rounding. Blocks and chunks
// have 64 tokens. Forms without forgetting attend to Undecayed scores, whose rounding error grows with decay * elapsed.
// Differentiable. float32 or float64. InvalidArgument names the wrong argument; kScan has the errors of scan.h as well.
absl::StatusOr<torch::Tensor> ConstantQueryAttention(AttentionForm form, const torch::Tensor& scores,
                                                     const torch::Tensor& values, const Forgetting& forgetting = {});

}  // namespace aaren::attention

#endif  // AAREN_MODEL_PAPER_ATTENTION_FORMS_FORM_H_
