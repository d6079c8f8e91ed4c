#include "tests/model/specification/sizes.h"

#include <algorithm>

namespace aaren::specification {

Sizes::Sizes(const package::ForecasterConfig& config)
    : P(config.ring),
      L(config.layers),
      H(config.heads),
      V(config.value_width),
      T(config.horizon),
      S(config.fold_every),
      N(config.history),
      Q(static_cast<int>(config.quantiles.size())),
      M((Q - 1) / 2),
      D(std::min(17, P)),
      seasons(config.seasons),
      a(config.quantiles) {
  for (int h = T; h > 1; h = (h + 1) / 2) tracked.push_back(h);
  tracked.push_back(1);
  std::reverse(tracked.begin(), tracked.end());
  for (int first = 1; first <= T; first *= 2) {
    judged.emplace_back();
    for (int h = first; h < 2 * first && h <= T; h += first / 8 + 1) judged.back().push_back(h);
  }
  for (int k : {1, 2, 4, 8, 16, 24, 36, 48}) knots.push_back(std::max(1, (k * T + 24) / 48));
  knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
}

}  // namespace aaren::specification
