#ifndef AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_REPLIES_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_REPLIES_H_

// Section E12 of model/engine/events/RULES.md: the numbers of a reply.

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/model/specification/events/event_forecaster.h"

namespace aaren::specification::events {

Vector Intervals(const Outlook& outlook, const Vector& levels);                  // E12.8-E12.13
Vector Probabilities(const Outlook& outlook, const std::vector<double>& spans);  // E12.7

// Names and probabilities of the likeliest marks, all 65 (E12.14, E12.15).
std::vector<std::pair<uint32_t, float>> Likeliest(const EventReply& reply);

}  // namespace aaren::specification::events

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_REPLIES_H_
