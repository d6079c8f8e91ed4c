#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_GAUSSIAN_PROCESS_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_GAUSSIAN_PROCESS_H_

// Paths of Gaussian processes with a random kernel: one to four parts, joined by sums and products. A part has a
// squared-exponential, Matern, rational-quadratic or periodic kernel. The path of a part is a sum of cosines with
// frequencies from the kernel's spectrum, so a path costs O(length).

#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

// `length` values, mean 0 and deviation 1 over the length.
std::vector<double> RandomGaussianProcess(Random& random, int length);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_GAUSSIAN_PROCESS_H_
