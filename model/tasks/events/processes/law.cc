#include "model/tasks/events/processes/law.h"

#include <cmath>

#include "model/tasks/events/processes/process.h"

namespace aaren::events {

Law::Part Law::AnyPart(Random& random) {
  Part part = {.kind = static_cast<Kind>(random.Below(6)), .shape = 1, .log_scale = 0, .weight = 1};
  switch (part.kind) {
    case Kind::kGamma:
    case Kind::kWeibull:
    case Kind::kInverseWeibull:
      part.shape = part.kind == Kind::kGamma ? TenTo(random, -0.8, 1.5) : TenTo(random, -0.6, 0.8);
      break;
    case Kind::kLogNormal:
      part.shape = TenTo(random, -1.3, 0.45);
      break;
    case Kind::kPareto:
      part.shape = random.LogUniform(0.4, 3);
      break;
    case Kind::kStudent:
      part.shape = random.LogUniform(1, 8);
      break;
  }
  return part;
}

Law Law::Any(Random& random) {
  Law law;
  const int parts = random.Chance(0.3) ? 2 + random.Below(4) : 1;
  const double spread = random.LogUniform(0.5, 4);
  for (int i = 0; i < parts; ++i) {
    Part part = AnyPart(random);
    if (parts > 1) part.log_scale = spread * random.Normal();
    part.weight = random.Exponential();
    law.parts_.push_back(part);
  }
  return law;
}

double Law::DrawPart(const Part& part, Random& random) {
  const double scale = std::exp(part.log_scale);
  switch (part.kind) {
    case Kind::kGamma:
      return scale * random.Gamma(part.shape) / part.shape;
    case Kind::kWeibull:
      return scale * std::pow(random.Exponential(), 1 / part.shape);
    case Kind::kLogNormal:
      return scale * std::exp(part.shape * random.Normal());
    case Kind::kPareto:
      return scale * std::pow(1 - random.Uniform(), -1 / part.shape);
    case Kind::kStudent:
      return scale * std::exp(0.5 * random.StudentT(part.shape));
    case Kind::kInverseWeibull:
      return scale * std::pow(random.Exponential() + 1e-12, -1 / part.shape);
  }
  return scale;
}

double Law::Draw(Random& random) const {
  double whole = 0;
  for (const Part& part : parts_) whole += part.weight;
  double at = whole * random.Uniform();
  for (const Part& part : parts_) {
    at -= part.weight;
    if (at < 0) return DrawPart(part, random);
  }
  return DrawPart(parts_.back(), random);
}

}  // namespace aaren::events
