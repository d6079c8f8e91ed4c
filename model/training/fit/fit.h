#ifndef AAREN_MODEL_TRAINING_FIT_FIT_H_
#define AAREN_MODEL_TRAINING_FIT_FIT_H_

// `aaren-train fit` makes a model of the user's own series or events. The last tenth of each series is held back and
// never trained on. Training begins with the bundled weights, or anew, and ends when the rows just before the held-back
// tenth are no longer forecast better. Then the new model, the bundled model and simple methods forecast the held-back
// tenth. The package is written only where the new model is the better one, or where the user wants it in any case.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::training {

struct FitLine {
  std::string csv, events;                                    // the file with the data: one of the two
  std::vector<std::string> columns;                           // the CSV file's; empty: every column of numbers
  std::string series_column;                                  // the column that tells series apart; empty: none
  std::vector<std::string> past, future;                      // columns of covariates: known until now, or in advance
  double missing = std::numeric_limits<double>::quiet_NaN();  // a number that stands for a missing value; NaN: none
  double unit = 1;                                            // seconds in one unit of the events' times
  bool calendar = true;  // the events' times have an origin that the model may know
  std::string output;    // folder of the package
  std::string name = "aaren-fit", description;
  std::string from;      // folder of the package to begin with and to compare with; empty: the bundled one
  bool anew = false;     // begin with random weights
  bool keep = false;     // write a model that is not the better one, too
  int horizon = 48;      // steps ahead of a model made anew
  int season = 0;        // rows in a season of the naive forecasts; 0: found in each series
  int windows = 100;     // forecasts in the backtest, of all series together
  int64_t steps = 300;   // at most
  int batch = 16;        // crops a step
  int check_every = 20;  // steps between checks
  int patience = 5;      // checks without a better one before training ends
  double rate = 0;       // factor on the rates; 0: 1 for a model made anew, else a tenth
  uint64_t seed = 1;
  int threads = 1;
  std::string checkpoint;  // folder; empty: none
  std::string command;     // the typed command line
  std::string help;        // text for --help, if asked for

  // Factor on the usual rates.
  double RateFactor() const { return rate > 0 ? rate : anew ? 1 : 0.1; }
};

// Parses the arguments after `fit`. InvalidArgument names the flag and its value.
absl::StatusOr<FitLine> ParseFit(int argc, char** argv);

// Trains, compares and writes, with progress on standard error and the comparison on standard output. Once `goes_on`
// says no, training ends with the best weights so far. Errors are those of the file, of the packages and of training.
absl::Status FitSeries(const FitLine& line, const std::function<bool()>& goes_on);
absl::Status FitEvents(const FitLine& line, const std::function<bool()>& goes_on);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_FIT_FIT_H_
