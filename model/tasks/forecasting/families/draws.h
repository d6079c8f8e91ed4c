#ifndef AAREN_MODEL_TASKS_FORECASTING_FAMILIES_DRAWS_H_
#define AAREN_MODEL_TASKS_FORECASTING_FAMILIES_DRAWS_H_

// The draws of all families, for the table in family.cc; README.md describes each family. Callers use Families().

#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

using Series = std::vector<double>;

// composed.cc: sums of parts
Series DrawTrend(Random& random, int length);
Series DrawTrendAndSeason(Random& random, int length);
Series DrawGaussianProcess(Random& random, int length);

// clean.cc
Series DrawCleanSeason(Random& random, int length);
Series DrawCleanDays(Random& random, int length);

// load.cc
Series DrawTraffic(Random& random, int length);
Series DrawElectricity(Random& random, int length);

// solar.cc
Series DrawSolar(Random& random, int length);

// people.cc
Series DrawParking(Random& random, int length);
Series DrawBicycles(Random& random, int length);

// counts.cc
Series DrawCounts(Random& random, int length);
Series DrawIntermittent(Random& random, int length);

// climate.cc
Series DrawTemperature(Random& random, int length);
Series DrawWeather(Random& random, int length);

// sarima.cc
Series DrawSarima(Random& random, int length);

// smoothing.cc
Series DrawSmoothing(Random& random, int length);

// regimes.cc
Series DrawOrnsteinUhlenbeck(Random& random, int length);
Series DrawSteps(Random& random, int length);

// walk.cc
Series DrawWalk(Random& random, int length);
Series DrawVolume(Random& random, int length);

// machines.cc
Series DrawSawtooth(Random& random, int length);
Series DrawMachines(Random& random, int length);
Series DrawJobs(Random& random, int length);

// daily.cc
Series DrawDaily(Random& random, int length);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_FAMILIES_DRAWS_H_
