#ifndef AAREN_MODEL_TRAINING_PAPER_GRID_PUBLISHED_H_
#define AAREN_MODEL_TRAINING_PAPER_GRID_PUBLISHED_H_

// The figures that "Attention as an RNN" (arXiv 2405.13956) publishes in its tables 2, 4 and 5: the mean and standard
// deviation over five seeds.

#include <string>
#include <vector>

namespace aaren::training {

struct Spread {
  double mean = 0, deviation = 0;
};

struct Published {
  const char* dataset;
  const char* metric;
  Spread softmax, aaren;
};

// A metric of a task, in the order of the paper's table. The score of this name is compared with the figures.
struct PaperMetric {
  const char* name;
  int decimals;
  bool higher_is_better;
};

// Metrics of "classification", "forecasting" or "events".
std::vector<PaperMetric> MetricsOf(const std::string& task);

// The task's datasets, in the order of the paper; empty for an unknown task.
std::vector<std::string> DatasetsOf(const std::string& task);

// The figures of a dataset; null where the paper has none.
const Published* FindPublished(const std::string& task, const std::string& dataset, const std::string& metric);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PAPER_GRID_PUBLISHED_H_
