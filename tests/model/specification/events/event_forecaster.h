#ifndef AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_EVENT_FORECASTER_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_EVENT_FORECASTER_H_

// The order of work at an event (E3.1-E3.4, E3.24), and the row (E11). One EventForecaster is one stream.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/model/specification/events/memory.h"
#include "tests/model/specification/events/network.h"
#include "tests/model/specification/events/outlook.h"

namespace aaren::specification::events {

// The usual interval (E2.10) and the resolution (E9.10) that a client told, in nanoseconds; 0: none.
struct Told {
  int64_t unit = 0, resolution = 0;
};

struct EventReply {
  float surprise;
  Outlook outlook;
  Vector marks;                 // [65], as in E11.3
  std::vector<uint32_t> names;  // [64]
};

class EventForecaster {
 public:
  explicit EventForecaster(const package::ModelPackage& package) : network_(package) {}  // not owned

  EventReply Take(int64_t time, uint32_t mark, const Told& told);

  std::vector<std::byte> Row() const;                                 // E11.1, E11.2
  static std::vector<std::byte> ReplyBytes(const EventReply& reply);  // E11.3, E11.4

 private:
  int64_t newest_ = 0;
  Memory memory_;
  Network network_;
  Outlook outlook_;
};

}  // namespace aaren::specification::events

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_EVENT_FORECASTER_H_
