#ifndef AAREN_TESTS_MODEL_SPECIFICATION_SERIES_SERIES_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_SERIES_SERIES_H_

// Rules 1.1-1.27 of model/README.md: statistics of a series, and the memory of its last 1,488 values.

#include <cstdint>

namespace aaren::specification {

float Arriving(float value);  // 1.1, 1.2

struct Series {
  explicit Series(int history);

  // Takes x_t. Until the next Take, all reads are as seen at t.
  void Take(int64_t token, float x);

  double Reach() const;                // 1.4
  float Reached(float x) const;        // x clamped to the reach range of t (1.14)
  float Decoded(int64_t token) const;  // 1.23. REQUIRES: the token's block is full
  float Seen(int64_t token) const;     // 1.25; missing before token 0 and after t

  int N;
  int64_t t = -1;
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
