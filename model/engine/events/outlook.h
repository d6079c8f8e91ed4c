#ifndef AAREN_MODEL_ENGINE_EVENTS_OUTLOOK_H_
#define AAREN_MODEL_ENGINE_EVENTS_OUTLOOK_H_

// An Outlook is the forecast of the next interval: the probability of a tie, and a mixture of log-normal and Weibull
// densities over u, the place of the interval. All functions have the same bits on every machine.
//
// Let z be the logarithm of the interval less r, and n the number of intervals that the session has seen. The place is
// z where z <= 0, and z (1 + 1/n) where z > 0. So a young session's long intervals are drawn towards r, as if an
// imagined interval r stood beside the n. Otherwise the upper quantiles of a session of two events would lie at forty
// times its only interval. Probabilities, densities, quantiles and surprises all belong to one law.
//
// Threading: a plain value of bytes.

#include <cstddef>
#include <cstdint>

#include "model/engine/events/memory.h"
#include "model/engine/events/sizes.h"

namespace aaren::events {

struct Outlook {
  double log_scale;           // r
  float weight[kComponents];  // the components' weights, in sum 1; 0 where absent
  float at[kComponents];      // the components' places, in u
  float spread[kComponents];  // > 0
  float tie;                  // probability of an interval of 0; negative: there is no forecast
  float doubt;                // 1 / n, in [0, 1]
  uint32_t unused;

  bool made() const { return tie >= 0; }

  double PlaceOf(double z) const { return z > 0 ? z * (1.0 + doubt) : z; }
  double LogOf(double place) const { return place > 0 ? place / (1.0 + doubt) : place; }  // z
};

inline constexpr Outlook kNoOutlook = {
    .log_scale = 0, .weight = {}, .at = {}, .spread = {}, .tie = -1, .doubt = 0, .unused = 0};

// The outlook that the time head's numbers say, [kTimeNumbers]. No component lies further beyond the longest of the
// last intervals than 2 + n: a network may say anything about a session unlike all sessions of its training.
Outlook OutlookOf(const float* numbers, const Places& places, double log_scale);

// The probability of an interval of at most `gap` seconds, ties included. REQUIRES: made(), gap >= 0.
double ProbabilityWithin(const Outlook& outlook, double gap);

// The logarithm of the density of z at an interval, ties apart. REQUIRES: made(), gap > 0.
double LogDensity(const Outlook& outlook, double gap);

// The interval in seconds at a level in (0, 1); 0 within the probability of a tie. REQUIRES: made().
double IntervalAt(const Outlook& outlook, double level);

// The same after a silence: without an event for `silence` seconds, the probability of an event within `gap` seconds
// more, and the seconds from the event before at a level. A silence beyond all that the forecast thinks possible counts
// as the longest possible. REQUIRES: made(), silence > 0.
double ProbabilityAfterSilence(const Outlook& outlook, double silence, double gap);
double IntervalAfterSilence(const Outlook& outlook, double silence, double level);

// The place of an interval in its forecast, uniform in [0, 1] where forecasts are right: a tie is in the middle of the
// ties. Where times are rounded to multiples of `rounding` seconds, the middle of the intervals that become `gap`. NaN
// without a forecast.
double SurpriseOf(const Outlook& outlook, double gap, double rounding = 0);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_OUTLOOK_H_
