#include "tests/bench/engine/bundled_rate.h"

#include <utility>

#include "absl/time/clock.h"
#include "model/engine/cpu/cpu_engine.h"
#include "model/package/package.h"
#include "tests/bench/engine/step_load.h"

namespace aaren::bench {
namespace {

constexpr size_t kSessions = 1000, kBatch = 64;
constexpr int kCalls = 16;

class EngineAlone final : public BundledRate {
 public:
  EngineAlone(std::unique_ptr<engine::Engine> engine, int fold_every)
      : engine_(std::move(engine)), load_(*engine_, fold_every, kSessions) {}

  double TokensPerSecond(absl::Duration duration) override {
    const absl::Time begin = absl::Now();
    double tokens = 0;
    for (; absl::Now() - begin < duration; tokens += kBatch * kCalls) load_.ForecastAnywhere(kBatch, kCalls);
    return tokens / absl::ToDoubleSeconds(absl::Now() - begin);
  }

 private:
  const std::unique_ptr<engine::Engine> engine_;
  StepLoad load_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<BundledRate>> BundledRate::New() {
  const absl::StatusOr<package::ModelPackage> package = package::LoadPackage(AAREN_BUNDLED_MODEL);
  if (!package.ok()) return package.status();
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine = engine::NewCpuEngine(*package);
  if (!engine.ok()) return engine.status();
  return std::make_unique<EngineAlone>(*std::move(engine), package->config.fold_every);
}

}  // namespace aaren::bench
