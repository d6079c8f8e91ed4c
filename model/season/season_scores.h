#ifndef AAREN_MODEL_SEASON_SEASON_SCORES_H_
#define AAREN_MODEL_SEASON_SEASON_SCORES_H_

// How little a lag looks like a season (model/README.md, rules 6.7 to 6.14): its error over the mean error of all
// shorter lags of the bank, as pitch is found in sound (YIN, de Cheveigne and Kawahara 2002). A score is a little more
// for long lags, and 0.15 more where a neighbour in the bank has less error. Far below 1 the series repeats.
//
// Threading: a plain value, which refers to the errors.

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/season/lag_errors.h"

namespace aaren::season {

class SeasonScores {
 public:
  // After token `seq`. REQUIRES: the functions below are asked for lags of `longest` at most.
  SeasonScores(uint64_t seq, const LagErrors& errors, int longest = kLags.back());

  const LagErrors& errors() const { return errors_; }

  // Of lag number `index` of the bank, of a found one, or of any lag. NaN where it cannot be judged, or is neither.
  double OfBank(size_t index) const;
  double OfFound(size_t index) const { return With(errors_.found[index], errors_.found_mean[index]); }
  double Of(int lag) const;

  // What a lag's score would be with this error, and no less beside it.
  double With(int lag, double error) const;

 private:
  // By how many lags of the bank are shorter, and by what a score is more for so long a lag.
  double ScoreAt(size_t shorter, double factor, double error) const;

  const LagErrors& errors_;
  std::array<double, kLagCount> believed_;  // NaN where an error is not
  std::array<double, kLagCount + 1> sum_;   // of those before
  std::array<double, kLagCount + 1> count_;
};

}  // namespace aaren::season

#endif  // AAREN_MODEL_SEASON_SEASON_SCORES_H_
