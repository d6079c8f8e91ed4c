#ifndef AAREN_MODEL_ENGINE_EVENTS_OUTLOOK_H_
#define AAREN_MODEL_ENGINE_EVENTS_OUTLOOK_H_

// An Outlook is the forecast of the next interval: the probability of a tie, and a mixture of log-normal and Weibull
// densities over z, the logarithm of the interval less r. All functions have the same bits on every machine.
//
// Threading: a plain value of bytes.

#include <cstddef>

#include "model/engine/events/memory.h"
#include "model/engine/events/sizes.h"

namespace aaren::events {

struct Outlook {
  double log_scale;           // r
  float weight[kComponents];  // the components' weights, in sum 1; 0 where absent
  float at[kComponents];      // the components' places, in z
  float spread[kComponents];  // > 0
  float tie;                  // probability of an interval of 0; negative: there is no forecast

  bool made() const { return tie >= 0; }
};

inline constexpr Outlook kNoOutlook = {.log_scale = 0, .weight = {}, .at = {}, .spread = {}, .tie = -1};

// The outlook that the time head's numbers say, [kTimeNumbers].
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
