// Section 13 of model/README.md: the bytes of a row.

#include "tests/model/specification/bytes.h"
#include "tests/model/specification/forecaster.h"

namespace aaren::specification {
namespace {

void PutView(const SecondView& view, Bytes& row) {
  for (const SecondView::Octave& octave : view.octaves) row.Put(octave);
  for (const Vector& places : view.v) row.PutAll(places);
  for (const Vector& places : view.b) row.PutAll(places);
  row.PutAll(view.units);
  row.Put(view.next);
}

}  // namespace

std::vector<std::byte> Forecaster::Row() const {
  Bytes row;
  row.Put(uint64_t(t_));
  row.Put(series_.mean);
  row.Put(series_.variance);
  row.Put(series_.n);
  row.Put(series_.far);
  row.Put(uint64_t{0});
  row.Put(series_.origin);
  row.Put(support_.origin);
  row.Put(support_.least);
  row.Put(support_.greatest);
  row.Put(support_.span);
  row.Put(support_.negative);
  row.PutAll(one_step_);
  row.PutAll(one_step_sources_);
  for (const Vector& theta : calibration_.theta) row.PutAll(theta);
  for (const std::vector<Vector>& places : calibration_.kept) {
    for (const Vector& forecast : places) row.PutAll(forecast);
  }
  for (const std::array<float, 5>& errors : mixture_.E) row.PutAll(errors);
  for (const std::vector<Vector>& octave : mixture_.medians) {
    for (const Vector& places : octave) row.PutAll(places);
  }
  for (Seasons seasons : mixture_.choices) {
    row.Put(static_cast<uint16_t>(seasons.a));
    row.Put(static_cast<uint16_t>(seasons.b));
  }
  row.Put(errors_.unit);
  row.PutAll(errors_.e);
  for (const LagErrors::Place& place : errors_.places) row.Put(place.e);
  for (const LagErrors::Place& place : errors_.places) row.Put(static_cast<uint16_t>(place.lag));
  row.Put(static_cast<uint16_t>(errors_.next));
  row.Put(static_cast<uint16_t>(errors_.tried));
  row.Put(static_cast<uint32_t>(errors_.left));
  row.Put(series_.typical_low);
  row.Put(series_.typical_high);
  row.PutAll(series_.recent);
  row.PutAll(series_.low);
  row.PutAll(series_.step);
  row.PutAll(series_.codes);
  row.PadTo64();
  for (const BlockState& state : network_.states()) {
    row.PutAll(state.o);
    for (size_t i = state.o.size(); i % 16 != 0; ++i) row.Put(0.0);
    row.PutAll(state.c);
    row.PutAll(state.m);
  }
  row.PadTo64();
  if (covariates_) {
    for (const std::vector<double>& sums : covariates_->S) row.PutAll(sums);
    for (const auto* numbers : {&covariates_->b, &covariates_->m, &covariates_->effect}) row.PutAll(*numbers);
    row.Put(covariates_->W);
    row.Put(covariates_->R);
    for (const Vector& z : covariates_->z) row.PutAll(z);
  }
  if (far_) {
    for (const Far::Knot& knot : far_->knots) row.PutAll(knot.F);
    for (const Far::Knot& knot : far_->knots) row.PutAll(knot.O);
    for (const Far::Knot& knot : far_->knots) row.PutAll(knot.medians);
    row.PutAll(far_->means);
    for (Seasons seasons : far_->choices) {
      row.Put(static_cast<uint16_t>(seasons.a));
      row.Put(static_cast<uint16_t>(seasons.b));
    }
    if (far_->half) PutView(*far_->half, row);
  }
  if (profile_) {
    for (const uint16_t number : {profile_->Z, profile_->candidate, profile_->run, profile_->behind}) row.Put(number);
    row.Put(profile_->n);
    row.Put(profile_->l);
    row.PutAll(profile_->P);
    row.PutAll(profile_->c);
    PutView(*second_view_, row);
  }
  row.PadTo64();
  if (profile_) {
    for (const auto* view : {&rest_, &half_}) row.PutAll(*view ? (*view)->Row() : Forecaster(package_).Row());
  }
  return row.Take();
}

}  // namespace aaren::specification
