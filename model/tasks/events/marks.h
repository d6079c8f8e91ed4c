#ifndef AAREN_MODEL_TASKS_EVENTS_MARKS_H_
#define AAREN_MODEL_TASKS_EVENTS_MARKS_H_

// Marks for processes without marks of their own: a single mark, frequencies, chains, words with repeats, curricula,
// marks by interval, cycles, and marks without repeats.

#include <vector>

#include "absl/types/span.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::events {

// A mark for each of gaps.size() + 1 events. Marks that repeat are at most 200 different marks.
std::vector<int> DrawMarks(forecasting::Random& random, absl::Span<const double> gaps);

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_MARKS_H_
