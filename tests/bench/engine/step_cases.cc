#include "tests/bench/engine/step_cases.h"

#include <memory>
#include <optional>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/network/amx.h"
#include "tests/bench/engine/roofs.h"
#include "tests/model/engine/only_target.h"

namespace aaren::bench {
namespace {

std::vector<Arithmetic> Arithmetics() {
  std::vector<Arithmetic> all;
  for (const int64_t target : engine::ExactTargets()) all.push_back({engine::Tier::kExact, target, false});
  if (all.empty()) return all;
  const int64_t best = all.front().target;
  if (engine::MayUseAmx()) all.push_back({engine::Tier::kFast, best, true});
  all.push_back({engine::Tier::kFast, best, false});
  return all;
}

}  // namespace

std::string Arithmetic::isa() const { return amx ? "AMX" : InstructionSet(); }

absl::StatusOr<std::vector<Row>> ForEachStepCase(const std::function<std::vector<Row>(const StepCase&)>& measure) {
  const absl::StatusOr<std::vector<StepShape>> shapes = StepShapes();
  if (!shapes.ok()) return shapes.status();
  std::vector<Row> rows;
  for (const StepShape& shape : *shapes) {
    for (const Arithmetic& arithmetic : Arithmetics()) {
      const engine::OnlyTarget only(arithmetic.target);
      std::optional<engine::ForbidAmx> no_amx;
      if (!arithmetic.amx) no_amx.emplace();
      const absl::StatusOr<std::unique_ptr<engine::Engine>> engine =
          engine::NewCpuEngine(shape.package, arithmetic.tier);
      if (!engine.ok()) return engine.status();
      const std::vector<Row> more = measure({shape, arithmetic, **engine});
      rows.insert(rows.end(), more.begin(), more.end());
    }
  }
  return rows;
}

Row DescribeCase(const StepCase& of) {
  const package::ForecasterConfig& config = of.shape.package.config;
  return {{"device", std::string("cpu")},  {"tier", of.engine.tier()},       {"isa", of.arithmetic.isa()},
          {"shape", of.shape.name},        {"width", int64_t{config.width}}, {"layers", int64_t{config.layers}},
          {"heads", int64_t{config.heads}}};
}

}  // namespace aaren::bench
