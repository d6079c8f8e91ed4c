#include <cmath>

#include "tests/model/specification/refinement/mixture.h"
#include "tests/model/specification/series/sources.h"

namespace aaren::specification {
namespace {

// R of 6.30.
float Renewal(const LagErrors& errors, int lag, int i) {
  return std::fmax(errors.Believed(lag), errors.Believed(i * lag));
}

std::array<float, 3> Renewals(const LagErrors& errors, Seasons now, Seasons before, int octave) {
  std::array<float, 3> renewals = {kMissing, kMissing, kMissing};
  const auto seasons_in = [octave](int lag) { return ((1 << octave) + lag - 1) / lag; };
  if (now.a != before.a && now.a != 0) {
    const int k = seasons_in(now.a);
    const auto quarter = [&](int i) { return Renewal(errors, now.a, i) / 4.0f; };
    renewals[0] = Renewal(errors, now.a, k);
    renewals[1] = quarter(k) + quarter(k + 1) + quarter(k + 2) + quarter(k + 3);
  }
  if (now.b != before.b && now.b != 0) renewals[2] = Renewal(errors, now.b, seasons_in(now.b));
  return renewals;
}

}  // namespace

void Mixture::Choose(int64_t p, const Series& series, LagErrors& errors) {
  const Seasons now = errors.Choose(), before = Chosen(p - 1);
  errors.Search(series, now.a);
  for (size_t octave = 0; octave < evidence_.size(); ++octave) {
    evidence_[octave] = {.words = {}, .renewals = Renewals(errors, now, before, static_cast<int>(octave))};
    for (int h : sizes_.judged[octave]) {
      const int64_t k = sizes_.ProbesFor(h), token = series.t - k * sizes_.D;  // 6.26
      Evidence::Word word = {h, series.Seen(token + h), {kMissing, kMissing, kMissing, kMissing}};
      if (k <= p && token >= series.t - 1487) {
        word.sources = Sources(series, Chosen(p - k), h, {.token = token, .far = 0});
      }
      evidence_[octave].words.push_back(word);
    }
  }
  choices[p % choices.size()] = now;
}

}  // namespace aaren::specification
