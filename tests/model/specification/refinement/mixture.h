#ifndef AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_MIXTURE_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_MIXTURE_H_

// Rules 6.25-6.47 of model/README.md: probes judge the naive forecasts and the network's, and the mixture follows.

#include <array>
#include <vector>

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/series/lag_errors.h"
#include "tests/model/specification/series/series.h"
#include "tests/model/specification/sizes.h"

namespace aaren::specification {

// The evidence by which a probe judges one octave.
struct Evidence {
  struct Word {
    int horizon;
    float y;                       // 6.27
    std::array<float, 4> sources;  // 6.28, 6.29
  };
  std::vector<Word> words;
  std::array<float, 3> renewals = {kMissing, kMissing, kMissing};  // 6.30, of A1, AM and B1
};

class Mixture {
 public:
  explicit Mixture(const Sizes& sizes);  // not owned

  // Probe p chooses seasons (6.5). The evidence is collected before these seasons replace older ones.
  void Choose(int64_t p, const Series& series, LagErrors& errors);

  // Probe p judges (6.31-6.40), then keeps medians (6.41) of the network's forecast, [T, Q].
  void Judge(int64_t p, int64_t k, float unit, const Vector& network);

  // 6.42-6.47: step j of a forecast of token t, [Q].
  void Mix(int64_t t, int j, const std::array<float, 4>& sources, float unit, float* q) const;

  void Shift(double distance);  // 1.42

  Seasons Chosen(int64_t p) const { return p < 0 ? Seasons() : choices[p % choices.size()]; }

  std::vector<std::array<float, 5>> E;       // [octaves], 6.31
  std::vector<std::vector<Vector>> medians;  // [octaves, judged, places], 6.41
  std::vector<Seasons> choices;              // [places]

 private:
  int64_t Judgements(int64_t probes, size_t octave) const;  // n of 6.38, with p + 1 = probes
  std::array<float, 5> Weights(int64_t t, size_t octave) const;
  void JudgeOctave(int64_t p, int64_t k, size_t octave, float unit);

  const Sizes& sizes_;
  std::vector<Evidence> evidence_;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_MIXTURE_H_
