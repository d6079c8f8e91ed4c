#ifndef AAREN_MODEL_TRAINING_PAPER_GRID_CELL_H_
#define AAREN_MODEL_TRAINING_PAPER_GRID_CELL_H_

// A cell of the grid of the paper's comparisons is one training run: a dataset, a mixer and a seed. A cell's result is
// a JSON file, written in one rename when the run is complete, so a killed grid keeps what was complete.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::training {

struct PaperCell {
  std::string task;     // "classification", "forecasting" or "events"
  std::string dataset;  // the paper's tables' name; for forecasting with the horizon, "ETTh1-96"
  bool aaren = true;    // else softmax
  uint64_t seed = 0;

  std::string mixer() const { return aaren ? "aaren" : "softmax"; }
  // "classification-JapaneseVowels-aaren-0", the name of the file too.
  std::string Name() const;
};

// How the cells are run, and what may differ from the paper's protocol.
struct PaperSettings {
  std::string data;               // folder with a folder for each dataset
  int64_t epochs = 0;             // at most; 0: the protocol's
  int64_t patience = 0;           // epochs without a better one before the end; 0: the protocol's
  int64_t width = 0;              // forecasting: of the network, a multiple of 8; 0: the protocol's
  bool causal_embedding = false;  // windows that look back only, so that classifier and forecasting encoder stream
  bool bfloat16_products = false;

  // All that a result depends on, but for the data.
  std::string Text() const;
  // The differences to the protocol, a sentence each.
  std::vector<std::string> Deviations() const;
};

struct PaperResult {
  std::map<std::string, double> scores;               // by the metric's name
  std::map<std::string, std::vector<double>> curves;  // by name; a value per epoch, or per share of the series
  std::vector<std::string> deviations;                // from the paper's protocol, a sentence each
  int64_t parameters = 0, epochs = 0;
  double seconds = 0, cpu_seconds = 0;
  int64_t peak_bytes = 0;  // memory of the run's process
};

// Is told after every epoch: "12 of at most 100, validation 93.5".
using EpochReport = std::function<void(const std::string& text)>;

// Writes FOLDER/NAME.json. Unavailable names the path.
absl::Status SaveResult(const std::string& folder, const PaperCell& cell, const PaperSettings& settings,
                        const PaperResult& result);

// NotFound if the cell has no result yet. FailedPrecondition if the result was made with other settings. DataLoss if
// the file cannot be read. Errors name the file.
absl::StatusOr<PaperResult> LoadResult(const std::string& folder, const PaperCell& cell, const PaperSettings& settings);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_PAPER_GRID_CELL_H_
