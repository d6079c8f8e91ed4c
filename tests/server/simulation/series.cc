#include "tests/server/simulation/series.h"

#include "model/engine/forecast_result.h"
#include "tests/server/sessions/shard/world/fake_engine.h"

namespace aaren::simulation {

Series::Series(uint32_t number, size_t tokens) {
  int64_t time = 1'000 * (number + 1), step = 0;
  for (size_t seq = 0; seq < tokens; ++seq) {
    values_.push_back(0.25f + static_cast<float>((seq * 37 + number * 11) % 101));
    const auto gap = static_cast<int64_t>((seq * 7 + number) % 5 * 3);  // 0 now and then: times repeat
    if (seq > 0) time += gap;
    if (seq > 0 && gap > 0) step = gap;
    times_.push_back(time);
    steps_.push_back(step);
  }
  forecasts_ = shard::FakeEngine().Forecasts(values_);
  for (std::vector<float>& one : forecasts_) one.resize(one.size() - engine::ResultTail::kFloats);
}

std::vector<float> Series::values(uint64_t begin, uint64_t end) const {
  return {values_.begin() + static_cast<ptrdiff_t>(begin), values_.begin() + static_cast<ptrdiff_t>(end)};
}

std::vector<int64_t> Series::times(uint64_t begin, uint64_t end) const {
  return {times_.begin() + static_cast<ptrdiff_t>(begin), times_.begin() + static_cast<ptrdiff_t>(end)};
}

}  // namespace aaren::simulation
