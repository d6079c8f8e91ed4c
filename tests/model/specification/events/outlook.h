#ifndef AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_OUTLOOK_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_OUTLOOK_H_

// Sections E8 to E10 of model/engine/events/RULES.md: the forecast of the next interval.

#include <array>

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/events/inputs.h"

namespace aaren::specification::events {

class Outlook {
 public:
  Outlook() = default;                                          // E8.2
  Outlook(const Vector& head, const Places& places, double r);  // E8.3-E8.9

  bool Made() const { return tie >= 0; }
  double Within(double gap) const;                                                        // E9.7
  float Surprise(double gap, double resolution) const;                                    // E9.8-E9.10
  double Interval(double level) const;                                                    // E10.2-E10.4
  double LogDensity(double gap) const;                                                    // E10.5
  double WithinAfter(double silence, double gap) const;                                   // E10.6
  double IntervalAfter(double silence, double level) const;                               // E10.7
  double PlaceOf(double z) const { return z > 0 ? z * (1.0 + doubt) : z; }                // E9.1
  double LogOf(double place) const { return place > 0 ? place / (1.0 + doubt) : place; }  // E9.1

  // In the order of the row.
  double r = 0;
  std::array<float, 25> weight = {}, at = {}, spread = {};
  float tie = -1, doubt = 0;

 private:
  double Below(double place) const;      // E9.6
  double Density(double place) const;    // E10.1
  double PlaceWithin(double gap) const;  // E9.7
};

}  // namespace aaren::specification::events

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_OUTLOOK_H_
