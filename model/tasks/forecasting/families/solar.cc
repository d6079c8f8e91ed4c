// Power of the sun: none at night, long days in summer and short days in winter, and clouds.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/calendar.h"
#include "model/tasks/forecasting/parts/process.h"

namespace aaren::forecasting {
namespace {

constexpr double kTurn = 2 * std::numbers::pi, kObliquity = 0.409;  // the earth's axis, in radians

// The clouds of one day: how much light they take on average, and how much that changes from hour to hour.
struct Sky {
  double cover = 0, unrest = 0;
};

// Clear, changing and overcast days. A day is like the day before with probability `stay`.
class Skies {
 public:
  Skies(Random& random) : clear_(random.Uniform(0.2, 0.8)), stay_(random.Uniform(0.2, 0.7)), kind_(Kind(random)) {}

  Sky Next(Random& random) {
    if (!random.Chance(stay_)) kind_ = Kind(random);
    if (kind_ == 0) return {.cover = random.Uniform(0, 0.05), .unrest = random.Uniform(0, 0.03)};
    if (kind_ == 1) return {.cover = random.Uniform(0.1, 0.5), .unrest = random.Uniform(0.1, 0.4)};
    return {.cover = random.Uniform(0.5, 0.95), .unrest = random.Uniform(0.02, 0.15)};
  }

 private:
  int Kind(Random& random) const { return random.Chance(clear_) ? 0 : random.Chance(0.6) ? 1 : 2; }

  double clear_, stay_;
  int kind_;
};

}  // namespace

Series DrawSolar(Random& random, int length) {
  const Calendar calendar = RandomCalendar(random, length);
  const double latitude = random.Uniform(-0.95, 0.95), noon = random.Uniform(0.47, 0.56);
  const double haze = random.Uniform(1, 1.5), tilt = random.Chance(0.4) ? random.Uniform(0.4, 0.9) : 1;
  const double limit = random.Chance(0.4) ? random.Uniform(0.5, 0.9) : 2;  // limit of the inverter
  const double unit = random.LogUniform(0.5, 1000), grid = unit > 50 && random.Chance(0.5) ? 1 : 0;
  Skies skies(random);
  Reverting clouds(random, random.LogUniform(0.3, 4) * calendar.hour());
  Series values(length);
  for (const Day& day : calendar.days) {
    const Sky sky = skies.Next(random);
    // The year begins at the winter solstice of the north, where the declination is least.
    const double declination = -kObliquity * std::cos(kTurn * day.season);
    const double high = std::cos(latitude) * std::cos(declination), low = std::sin(latitude) * std::sin(declination);
    for (int t = day.begin; t < day.end; ++t) {
      const double cover = std::clamp(sky.cover + sky.unrest * clouds.Next(random), 0.0, 0.97);
      const double hour = static_cast<double>(t - day.midnight) / calendar.steps - noon;
      // The sine of the sun's height over the horizon, from latitude, declination and hour angle.
      const double height = low + high * std::cos(kTurn * hour);
      if (height <= 0) continue;
      const double power = std::min(limit, std::pow(std::pow(height, haze), tilt) * (1 - cover));
      // The unit is the power at the inverter's limit.
      values[t] = OnGrid(unit * power / std::min(limit, 1.0), grid);
    }
  }
  return values;
}

}  // namespace aaren::forecasting
