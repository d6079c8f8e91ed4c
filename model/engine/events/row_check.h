#ifndef AAREN_MODEL_ENGINE_EVENTS_ROW_CHECK_H_
#define AAREN_MODEL_ENGINE_EVENTS_ROW_CHECK_H_

// RowBounds tells whether a row from outside can be the row of any stream of events, so that no row makes a forecast
// that is not a number. Numbers of the memory have bounds of their own; attention is bounded by the weights, as
// model/engine/network/layer_bound.h explains. Threading: immutable.

#include "absl/status/status.h"
#include "model/engine/events/event_engine.h"
#include "model/engine/events/event_package.h"

namespace aaren::events {

class RowBounds {
 public:
  // REQUIRES: CheckEventPackage accepted the package.
  explicit RowBounds(const EventPackage& package);

  // DataLoss, naming the field.
  absl::Status Check(const EventRow& row) const;

 private:
  struct Layer {
    double peak[kHeads], output[kValueWidth];  // the largest magnitudes
  };
  Layer layers_[kBlocks];
};

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_ROW_CHECK_H_
