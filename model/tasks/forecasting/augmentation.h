#ifndef AAREN_MODEL_TASKS_FORECASTING_AUGMENTATION_H_
#define AAREN_MODEL_TASKS_FORECASTING_AUGMENTATION_H_

// What happens to a series of any family. It happens to the thing itself (another level, another amplitude, bursts), to
// its clock, and to its measurement (spikes, outages, a sensor that sticks, clips, rounds or fails). Each happens to a
// few series in a hundred, and about half of all series stay as they are drawn. What is never negative stays so: shifts
// and changes of amplitude are then factors.
//
// Threading: plain functions.

#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

// Takes out one to three stretches, `lost` values in all, as if nobody had written a row. REQUIRES: lost < size.
void LoseRows(Random& random, int lost, std::vector<double>& values);

// Everything else; missing values stay missing. Each change has a small probability of its own.
void Augment(Random& random, std::vector<double>& values);

// Stretches of missing values, or single ones, at a random share of at most three tenths.
void RemoveStretches(Random& random, std::vector<double>& values);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_AUGMENTATION_H_
