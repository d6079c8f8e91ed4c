#ifndef AAREN_MODEL_TASKS_FORECASTING_AUGMENTATION_H_
#define AAREN_MODEL_TASKS_FORECASTING_AUGMENTATION_H_

// The events that change a series of any family. An event may change the observed thing (another level, another
// amplitude, bursts), the clock, or the measurement (spikes, outages, a sensor that sticks, clips, rounds or fails).
// Each event hits a few series in a hundred; about half of all series stay as drawn. A series without negative values
// stays without: shifts and changes of amplitude are then factors.
//
// Threading: plain functions.

#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

// Removes one to three stretches, `lost` values in all, as if the rows were never written. REQUIRES: lost < size.
void LoseRows(Random& random, int lost, std::vector<double>& values);

// Applies all other events, each with a small probability of its own. Missing values stay missing.
void Augment(Random& random, std::vector<double>& values);

// Removes stretches of values, or single values, at a random share of at most three tenths.
void RemoveStretches(Random& random, std::vector<double>& values);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_AUGMENTATION_H_
