#ifndef AAREN_TESTS_MODEL_SPECIFICATION_SERIES_SERIES_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_SERIES_SERIES_H_

// Rules 1.1-1.27 of model/README.md: statistics of a series, and the memory of its last 1,488 values.

#include <cstdint>

namespace aaren::specification {

double Arriving(double value);  // 1.1, 1.2

// Rules 2.13-2.15: the distance of places, and the tokens since the newest place.
struct Thinning {
  int64_t every = 1, since = 0;
  int64_t StepOf(int64_t j) const { return (j - 1 + since) / every + 1; }  // 2.17
};

struct Series {
  explicit Series(int history);

  // x_t, relative to the origin (1.3). The first value becomes the origin.
  float Relative(double x) const;
  void SetOrigin(double x);

  // Takes x_t. Until the next Take, all reads are as seen at t.
  void Take(int64_t token, float x);

  // 1.40-1.42: moves the origin where that is due at the next token. Returns the distance.
  double Move();

  Thinning FindThinning() const;  // 2.13-2.15

  double Reach() const;                // 1.4
  float Reached(float x) const;        // x clamped to the reach range of t (1.14)
  float Decoded(int64_t token) const;  // 1.23. REQUIRES: the token's block is full
  float Seen(int64_t token) const;     // 1.25; missing before token 0 and after t

  int N;
  int64_t t = -1;
  double origin = 0;
  double mean = 0, variance = 0;
  uint32_t n = 0, far = 0;
  float recent[48], low[31] = {}, step[31] = {};
  uint16_t codes[1488];
  float typical_low, typical_high;  // 1.26, 1.27

 private:
  void TakeStatistics(float x);
  void FillBlock();
  void FindTypicalRange();

  float reach_low_, reach_high_;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_SERIES_SERIES_H_
