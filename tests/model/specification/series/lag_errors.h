#ifndef AAREN_TESTS_MODEL_SPECIFICATION_SERIES_LAG_ERRORS_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_SERIES_LAG_ERRORS_H_

// Rules 1.28-1.37 of model/README.md, how well a series repeats at each lag; and 6.7-6.15, the seasons chosen by it.

#include <optional>

#include "model/season/lag_bank.h"
#include "tests/model/specification/series/series.h"

namespace aaren::specification {

// 0 stands for none.
struct Seasons {
  int a = 0, b = 0;
};

struct LagErrors {
  LagErrors();

  void Take(const Series& series, float x);  // 1.29-1.35; after the series took x

  float Believed(int lag) const;               // 1.37
  std::optional<double> Score(int lag) const;  // 6.9-6.12. REQUIRES: a lag of the bank
  float Error(int lag) const;                  // e_p. REQUIRES: a lag of the bank
  Seasons Choose() const;                      // 6.13-6.15

  float unit = 0;
  float e[season::kLagCount];

 private:
  bool IsBelieved(size_t i) const;  // 1.36
  bool IsLess(size_t j, size_t i) const { return IsBelieved(j) && e[j] < e[i]; }

  int64_t t_ = -1;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_SERIES_LAG_ERRORS_H_
