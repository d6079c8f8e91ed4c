#ifndef AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_DOUBLES_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_DOUBLES_H_

// This folder is a second implementation of the forecaster of events, by the rules of model/engine/events/RULES.md.
// Comments name the rules. The code is plain and scalar, and shares nothing with model/engine or model/math. Products,
// norms and functions of floats are those of the folder above.
//
//   doubles ◄── memory ◄── inputs ◄── outlook, network ◄── event_forecaster ◄── replies
//
// This file has section E1: functions of doubles.

namespace aaren::specification::events {

double DoubleExp(double x);  // E1.1-E1.3
double DoubleLog(double x);  // E1.4-E1.6. REQUIRES: x is normal and > 0

struct Turned {
  double cosine, sine;
};
Turned Turn(double turns);  // E1.7-E1.9

}  // namespace aaren::specification::events

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_DOUBLES_H_
