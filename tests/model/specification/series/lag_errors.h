#ifndef AAREN_TESTS_MODEL_SPECIFICATION_SERIES_LAG_ERRORS_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_SERIES_LAG_ERRORS_H_

// Rules 1.28-1.37 of model/README.md, how well a series repeats at each lag; 6.7-6.15, the choice of seasons; and
// 6.48-6.57, the search for further seasons.

#include <optional>

#include "model/season/lag_bank.h"
#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/series/series.h"

namespace aaren::specification {

// 0 stands for none.
struct Seasons {
  int a = 0, b = 0;
};

struct LagErrors {
  LagErrors();

  void Take(const Series& series, float x);  // 1.29-1.35. REQUIRES: the series took x already

  float Believed(int lag) const;               // 1.37
  std::optional<double> Score(int lag) const;  // 6.9-6.12; nullopt for an unknown lag
  float Error(int lag) const;                  // e_p. REQUIRES: the lag is in the bank, or found
  Seasons Choose() const;                      // 6.13-6.15
  void Search(const Series& series, int a);    // 6.49-6.57

  struct Place {
    int lag = 0;
    float e = kMissing;
  };

  float unit = 0;
  float e[season::kLagCount];
  Place places[2];  // 6.48
  int next = 4, tried = 0, left = 0;

 private:
  double D(const Series& series, int lag, int blocks, int fewest) const;  // 6.50
  double d(const Series& series, int lag) const;                          // 6.51
  bool IsBetter(const Series& series, int lag, int a, int blocks) const;  // 6.52: is `lag` less?
  void LookOn(const Series& series, int a);                               // 6.53-6.55
  void EndTrial(const Series& series, int a);                             // 6.56, 6.57
  const Place* Found(int lag) const;
  double ScoreWith(int lag, double error, double dip) const;  // NaN without G
  bool IsBelieved(size_t i) const;                            // 1.36
  bool IsLess(size_t j, size_t i) const { return IsBelieved(j) && e[j] < e[i]; }

  int64_t t_ = -1;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_SERIES_LAG_ERRORS_H_
