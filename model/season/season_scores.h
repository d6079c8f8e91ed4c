#ifndef AAREN_MODEL_SEASON_SEASON_SCORES_H_
#define AAREN_MODEL_SEASON_SEASON_SCORES_H_

// SeasonScores tell how little a lag looks like a season (model/README.md, rules 6.7 to 6.14). The score is the error
// at the lag over the mean error of all shorter lags of the bank, as pitch is found in sound (YIN, de Cheveigne and
// Kawahara 2002). Long lags score a little more, and 0.15 is added where a neighbour in the bank has less error. A
// score far below 1 means that the series repeats at the lag.
//
// Threading: a plain value that refers to the errors.

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/season/lag_errors.h"

namespace aaren::season {

class SeasonScores {
 public:
  // The scores after token `seq`. REQUIRES: the functions below are called for lags up to `longest` only.
  SeasonScores(uint64_t seq, const LagErrors& errors, int longest = kLags.back());

  const LagErrors& errors() const { return errors_; }

  // The score of lag number `index` of the bank, of found lag number `index`, or of any lag. NaN where a lag cannot be
  // judged, or is neither in the bank nor found.
  double OfBank(size_t index) const;
  double OfFound(size_t index) const { return With(errors_.found[index], errors_.found_mean[index]); }
  double Of(int lag) const;

  // The score that `lag` would have with this error, if neither neighbour had less error.
  double With(int lag, double error) const;

 private:
  // `shorter` is the number of shorter lags in the bank; `factor` is FactorOf the lag.
  double ScoreAt(size_t shorter, double factor, double error) const;

  const LagErrors& errors_;
  std::array<double, kLagCount> believed_;   // NaN where an error is not believed
  std::array<double, kLagCount + 1> sum_;    // sums of the believed errors before each lag
  std::array<double, kLagCount + 1> count_;  // numbers of the believed errors before each lag
};

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_SEASON_SCORES_H_
