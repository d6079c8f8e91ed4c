// One value a day, trading day, week, month or quarter: visits of a page, sales, transactions, statistics. The level
// grows and wanders, multiplied by the week (or the year) and holidays, with events that fade.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "model/tasks/forecasting/families/draws.h"
#include "model/tasks/forecasting/parts/calendar.h"
#include "model/tasks/forecasting/parts/process.h"

namespace aaren::forecasting {

Series DrawDaily(Random& random, int length) {
  const Calendar calendar = DailyCalendar(random, length);
  const double cycle = random.OneOf({7, 7, 7, 7, 7, 7, 5, 12, 12, 4, 52});
  std::vector<double> gains(static_cast<size_t>(cycle));
  const double weekly = random.LogUniform(0.02, 0.5);
  for (double& gain : gains) gain = weekly * random.Normal();
  const bool days = cycle == 7;
  if (days && random.Chance(0.5)) {
    const double weekend = (random.Chance(0.7) ? -1 : 1) * random.LogUniform(0.05, 1.2);
    for (size_t i = 0; i < gains.size(); ++i) gains[i] = 0.3 * gains[i] + (i >= 5 ? weekend : 0);
  }
  const double keep_gains = random.Chance(0.3) ? random.LogUniform(0.01, 0.1) : 0;  // week from week
  const double yearly = random.Chance(0.6) ? random.Uniform(0, 0.5) : 0, second = random.Uniform(0, 0.5) * yearly;
  const double walk = random.LogUniform(0.001, 0.04), growth = random.Chance(0.6) ? 0.0008 * random.Normal() : 0;
  const double noise = random.LogUniform(0.01, 0.25), holiday = random.Chance(0.5) ? random.Uniform(-1.5, 0.7) : 0;
  const double rate = random.Chance(0.6) ? random.LogUniform(0.001, 0.03) : 0,
               fade = std::exp(-1 / random.LogUniform(0.5, 12));
  const double unit = random.LogUniform(3, 1e5), year = 2 * std::numbers::pi;
  const int form = random.Below(4);  // logarithms, counts, or amounts
  Reverting lasting(random, random.LogUniform(0.8, 15));
  double level = 0, event = 0;
  Series values(length);
  for (int t = 0; t < length; ++t) {
    const Day& day = calendar.days[t];
    double& gain = gains[days ? day.weekday : t % gains.size()];
    // The pull back matches the spread of the new draw, so gains keep the deviation `weekly` for any length.
    if (keep_gains > 0) gain += keep_gains * weekly * random.Normal() - 0.5 * keep_gains * keep_gains * gain;
    // The weak pull to 0 keeps the level of a long series from walking away.
    level = (1 - 1e-4) * level + walk * random.Normal() + growth;
    const double height = rate > 0 && random.Chance(rate) ? random.Exponential() : 0;
    if (height > 0) event += (random.Chance(0.9) ? 1 : -0.5) * height;
    event *= fade;
    double x = level + gain + event + noise * lasting.Next(random);
    if (days) x += yearly * std::cos(year * day.season) + second * std::cos(2 * year * day.season + 1);
    if (day.holiday && days) x += holiday;
    // exp(6) times the largest unit is 4e7, below the 1e9 of family.h.
    x = std::clamp(x, -8.0, 6.0);
    const double amount = unit * std::exp(x);
    values[t] = form == 0 ? x + std::log(unit) : form == 1 ? random.Poisson(std::min(amount, 1e8)) : amount;
  }
  return values;
}

}  // namespace aaren::forecasting
