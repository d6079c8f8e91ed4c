#include "model/training/source.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/package/sha256.h"
#include "model/tasks/forecasting/parts/random.h"
#include "model/tasks/forecasting/synthetic.h"

namespace aaren::training {
namespace {

// Training draws from even seeds and held-out crops from odd seeds, so no held-out series is ever trained on.
class Synthetic : public SeriesSource {
 public:
  explicit Synthetic(uint64_t seed) : seed_(seed) {}

  uint64_t seed() const override { return seed_; }
  std::string Fingerprint() const override {
    return absl::StrCat("generator=", forecasting::kGeneratorEdition, " data_seed=", seed_);
  }

  std::vector<double> Draw(uint64_t index, int length) const override {
    return forecasting::SyntheticSeries(2 * seed_, index, length);
  }
  std::vector<double> DrawHeldOut(uint64_t index, int length) const override {
    // Held-out series go through the families in turn, so every family has as many as any other.
    return forecasting::SyntheticSeries(forecasting::Families()[index % forecasting::Families().size()], 2 * seed_ + 1,
                                        index, length);
  }
  std::vector<std::string> HeldOutGroups() const override {
    std::vector<std::string> names;
    for (const forecasting::Family& family : forecasting::Families()) names.emplace_back(family.name);
    return names;
  }
  int HeldOutStart(uint64_t, int) const override { return 0; }

 private:
  const uint64_t seed_;
};

class Csv : public SeriesSource {
 public:
  Csv(std::vector<forecasting::CsvSeries> series, uint64_t seed, int horizon)
      : series_(std::move(series)), seed_(seed), horizon_(horizon) {
    // At least a horizon is held out; what is left must be longer than a horizon to train on.
    std::erase_if(series_, [&](const forecasting::CsvSeries& one) { return Size(one) <= 2 * horizon; });
  }

  uint64_t seed() const override { return seed_; }
  std::string Fingerprint() const override {
    std::string digest;
    for (const forecasting::CsvSeries& one : series_) {
      const auto* bytes = reinterpret_cast<const char*>(one.values.data());
      digest = package::Sha256({digest, {bytes, one.values.size() * sizeof(double)}});
    }
    return absl::StrCat("values=", digest, " data_seed=", seed_);
  }

  std::vector<double> Draw(uint64_t index, int length) const override {
    forecasting::Random random(seed_, index);
    const forecasting::CsvSeries& series = series_[random.Below(static_cast<int>(series_.size()))];
    const int end = Size(series) - HeldOut(series);
    return Crop(series, end > length ? random.Below(end - length + 1) : 0, length, end);
  }

  // The end of series number `index`, modulo the number of series.
  std::vector<double> DrawHeldOut(uint64_t index, int length) const override {
    const forecasting::CsvSeries& series = series_[index % series_.size()];
    return Crop(series, Size(series) - length, length, Size(series));
  }

  uint64_t HeldOutCrops() const override { return series_.size(); }

  int HeldOutStart(uint64_t index, int length) const override {
    return std::max(0, length - HeldOut(series_[index % series_.size()]));
  }

 private:
  static int Size(const forecasting::CsvSeries& series) { return static_cast<int>(series.values.size()); }
  int HeldOut(const forecasting::CsvSeries& series) const { return std::max(horizon_, Size(series) / 10); }

  // The values start .. start + length - 1, missing outside [0, end).
  static std::vector<double> Crop(const forecasting::CsvSeries& series, int start, int length, int end) {
    std::vector<double> crop(length, std::numeric_limits<double>::quiet_NaN());
    for (int i = std::max(0, -start); i < length && start + i < end; ++i) crop[i] = series.values[start + i];
    return crop;
  }

  std::vector<forecasting::CsvSeries> series_;
  const uint64_t seed_;
  const int horizon_;
};

}  // namespace

std::unique_ptr<SeriesSource> SyntheticSource(uint64_t seed) { return std::make_unique<Synthetic>(seed); }

std::unique_ptr<SeriesSource> CsvSource(std::vector<forecasting::CsvSeries> series, uint64_t seed, int horizon) {
  return std::make_unique<Csv>(std::move(series), seed, horizon);
}

}  // namespace aaren::training
