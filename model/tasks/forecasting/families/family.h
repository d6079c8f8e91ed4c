#ifndef AAREN_MODEL_TASKS_FORECASTING_FAMILIES_FAMILY_H_
#define AAREN_MODEL_TASKS_FORECASTING_FAMILIES_FAMILY_H_

// A Family is a kind of series that occurs in the world, drawn by a simulation of its causes. The generator
// (synthetic.h) draws from all families in equal parts. The best single family differs from model to model, and an
// equal mixture of many families is as good as the best.
//
// A draw costs time and memory in proportion to its length, and depends only on the state of `random` and the length.
//
// Threading: plain values and functions.

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

struct Family {
  absl::string_view name;
  // `length` >= 1 values, NaN where missing, all of magnitude below 1e9, in the family's own unit.
  std::vector<double> (*draw)(Random& random, int length);
  bool reversible = false;  // true if a series read backwards is of the same kind
};

// Every family, in an order that a seed's meaning depends on.
absl::Span<const Family> Families();

// The family of that name; null if no family has the name.
const Family* FindFamily(absl::string_view name);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_FAMILIES_FAMILY_H_
