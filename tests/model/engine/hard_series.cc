#include "tests/model/engine/hard_series.h"

#include <algorithm>
#include <limits>

#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

// Each function returns one kind of trouble at some tokens, and the value itself at all others.
float Largest(size_t t, float value) { return t % 97 < 6 ? (t % 2 == 0 ? 1e30f : -1e30f) : value; }
float Glitch(size_t t, float value) { return t % 89 == 40 ? -9999e6f : value; }
float Tiny(size_t t, float value) { return t % 53 < 20 ? value * 0x1p-90f : value; }
float Jump(size_t t, float value) { return t / 200 % 2 == 0 ? value : 1e6f + 1000.0f * value; }
float Outage(size_t t, float value) { return t % 250 > 30 ? value : kMissing; }

std::vector<float> Each(float (*trouble)(size_t, float), std::vector<float> series) {
  for (size_t t = 0; t < series.size(); ++t) series[t] = trouble(t, series[t]);
  return series;
}

}  // namespace

std::vector<std::vector<float>> HardSeries(size_t length) {
  std::vector<std::vector<float>> all;
  std::vector<float> together = Series(40, length);
  for (float (*trouble)(size_t, float) : {Tiny, Jump, Glitch, Largest, Outage}) {
    all.push_back(Each(trouble, Series(41 + all.size(), length)));
    together = Each(trouble, together);
  }
  all.push_back(together);
  return all;
}

std::vector<float> EventfulSeries(size_t length) {
  std::vector<float> series = Series(50, length);
  series[60] = 4e9f;                                                                    // a glitch
  std::fill_n(series.begin() + 90, 3, -9999.0f);                                        // almost a new level
  for (size_t t = 150; t < 210; ++t) series[t] = 1e5f + 64.0f * series[t];              // a jump
  std::fill_n(series.begin() + 210, 20, kMissing);                                      // an outage
  for (size_t t = 231; t < 250; t += 2) series[t] = kMissing;                           // gaps
  for (size_t t = 250; t < 270; ++t) series[t] *= 0x1p-90f;                             // partly below the least value
  std::fill_n(series.begin() + 290, 30, 0.0f);                                          // a constant
  for (size_t t = 330; t < 350; ++t) series[t] = static_cast<float>(t % 3) * 0x1p-86f;  // tiny beside ordinary ones
  std::fill_n(series.begin() + 400, 200, kMissing);                                     // an outage longer than a ring
  std::fill_n(series.begin() + 650, 6, 1e30f);  // the largest values, which become a level
  return series;
}

}  // namespace aaren::engine
