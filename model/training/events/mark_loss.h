#ifndef AAREN_MODEL_TRAINING_EVENTS_MARK_LOSS_H_
#define AAREN_MODEL_TRAINING_EVENTS_MARK_LOSS_H_

// The loss of a token's forecast of the next mark, in nats, and the loss's gradient. Threading: any.

#include <cstdint>

namespace aaren::training {

// The parts of the logits of a token's known marks: w . silu(W f + U h) + (P h + p) . f.
struct MarkForecast {
  int64_t known;        // number of known marks; at most events::kMarkSlots
  const float* middle;  // [known, kMarkHidden]: W f of each mark
  const float* inputs;  // [known, kMarkStride]: f of each mark, with zeros behind
  const float* token;   // [kMarkHidden]: U h
  const float* line;    // [kMarkStride]: P h + p, with zeros behind
  const float* hidden;  // [kMarkHidden]: w
  float fresh;          // logit of a new mark
};

// The gradient at each part of a MarkForecast.
struct MarkGradient {
  float* middle;  // out
  float* token;   // out
  float* line;    // out
  float* hidden;  // added to
  float fresh;    // out
};

// `mark` is the mark that came, `known` for a new one.
double MarkLoss(const MarkForecast& forecast, int64_t mark, MarkGradient& gradient);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_EVENTS_MARK_LOSS_H_
