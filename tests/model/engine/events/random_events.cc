#include "tests/model/engine/events/random_events.h"

#include <random>

namespace aaren::events {

EventPackage RandomEventPackage(uint64_t seed) {
  std::mt19937_64 random(seed);
  EventPackage package;
  package.kind = package::kEvents;
  package.name = "random-events";
  package.input_version = kEventInputVersion;
  for (const auto& [name, shape] : EventTensors()) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    const float width = shape.size() == 2 ? static_cast<float>(shape[1]) : 4.0f, range = 2.0f / __builtin_sqrtf(width);
    package::Tensor& tensor = package.tensors[name];
    tensor.shape = shape;
    for (int64_t i = 0; i < count; ++i) {
      tensor.data.push_back(range * (static_cast<float>(random() >> 40) * 0x1p-23f - 1.0f));
    }
    if (name.ends_with("log_decay")) {
      for (float& value : tensor.data) value -= 4.0f;
    }
  }
  return package;
}

std::vector<Event> HardEvents(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Event> events;
  int64_t time = 1'700'000'000'000'000'000;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t kind = random() % 40, part = random() % 1'000'000'000;
    if (kind == 0)
      time += int64_t{100} * 86'400'000'000'000;  // a season of silence
    else if (kind < 4)
      time += 1;
    else if (kind < 20)
      time += static_cast<int64_t>(part);
    else if (kind < 34)
      time += static_cast<int64_t>(part) * 60;
    const uint64_t mark = i % 5 == 0 ? random() % 100'000 : random() % 12;
    events.push_back({.time_ns = time, .mark = mark});
  }
  return events;
}

}  // namespace aaren::events
