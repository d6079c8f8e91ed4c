// The kernel for GPUs, counted on this CPU: the demands of a tile of tokens on a GPU's parts, and thereby the least
// time. No GPU is asked.

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "model/engine/cuda/cuda_engine.h"
#include "model/engine/cuda/kernel.h"
#include "tests/bench/bench.h"
#include "tests/bench/engine/counted_block.h"
#include "tests/bench/engine/gpu_roof.h"
#include "tests/bench/engine/step_shape.h"
#include "tests/model/engine/cuda/emulated_device.h"

namespace aaren::bench {

const char kDeviceNote[] =
    R"(counted, not measured: one block of 256 threads takes `tokens` tokens, one of each of as many sessions, all of which
fold and are forecast. multiply_adds and other_operations are of all its threads; constant_bytes are read from the second
cache. The columns _us are the time of a processor's parts, of which the busiest counts between two barriers; wait_us: of
barriers and first answers. tile_us is the least time of a tile, and of a call that fills the GPU once.
tokens_per_second: all processors busy; bus_tokens_per_second: what a bus of 55 GB/s each way carries. What the CPU does
of a token is in neither. roof_share: of the GPU's multiply-adds. registers: at most, as the tests allow.)";

namespace {

constexpr int kThreads = 256;
constexpr int kTileTokens[] = {8, 16, 32};
constexpr double kBusBytes = 55e9;  // a second and way

// A call of the kernel, and its counts.
struct Counted {
  engine::ForwardCall call;
  BlockCounts counts;
};

// The last of some calls; in it all sessions fold.
absl::StatusOr<Counted> CountCall(const package::ModelPackage& package, size_t tokens) {
  Counted last;
  const auto count = [&last](const engine::BlockGrid& grid, const engine::ForwardCall& call) {
    last = {call, {}};
    return engine::RunBlocks(grid, [&](engine::EmulatedBlock& block) {
      CountedBlock counted(block, call.program, last.counts);
      engine::Kernel<CountedBlock>(counted, call).Run();
    });
  };
  engine::SetUpEmulatedDevice({.threads = kThreads, .processors = 1, .run = count});
  absl::StatusOr<std::unique_ptr<engine::Engine>> made = engine::NewDeviceEngine(package, engine::EmulatedDevice());
  if (!made.ok()) return made.status();
  const auto lane = (*made)->NewLane(tokens);
  std::vector<engine::Slot> slots(tokens);
  if (absl::Status status = lane->Allocate(absl::MakeSpan(slots)); !status.ok()) return status;
  if (absl::Status status = lane->Reset(slots); !status.ok()) return status;
  const float value = 1.0f;
  const uint8_t wanted = 1;
  std::vector<float> forecasts(tokens * (*made)->result_floats());
  std::vector<engine::Run> runs(tokens);
  for (size_t i = 0; i < tokens; ++i) {
    runs[i] = {.slot = slots[i],
               .values = {&value, 1},
               .forecast = {&wanted, 1},
               .forecasts = forecasts.data() + i * (*made)->result_floats()};
  }
  for (int token = 0; token < package.config.fold_every; ++token) {
    const absl::StatusOr<engine::Ticket> ticket = lane->Submit(runs);
    if (!ticket.ok()) return ticket.status();
    if (absl::Status status = lane->Wait(*ticket); !status.ok()) return status;
  }
  return last;
}

// The registers in "sm_80 registers 176 ..."; -1 without such a line.
int64_t RegistersOf(const std::string& architecture) {
  std::ifstream budget(AAREN_KERNEL_BUDGET);
  for (std::string line, name, word; std::getline(budget, line);) {
    std::istringstream words(line);
    int64_t registers = -1;
    if (words >> name >> word >> registers && name == architecture) return registers;
  }
  return -1;
}

const char* BoundOf(const Cycles& cycles) {
  const std::pair<double, const char*> parts[] = {
      {cycles.issue, "issue"}, {cycles.floats, "floats"}, {cycles.doubles, "doubles"}, {cycles.shared, "shared"},
      {cycles.l2, "l2"},       {cycles.memory, "memory"}, {cycles.waits, "waits"}};
  return std::max_element(std::begin(parts), std::end(parts))->second;
}

// The bytes of one token on the busier way of the bus.
double BusBytes(const engine::Program& program) {
  const int in = program.input_stride + program.standard_stride + program.residual_stride;
  const int out = program.horizon * program.levels;
  return static_cast<double>(sizeof(engine::DeviceToken) + sizeof(float) * static_cast<size_t>(std::max(in, out)));
}

Row RowOf(const StepShape& shape, const Counted& counted, const Gpu& gpu) {
  const int tokens = counted.call.tile_tokens;
  const Totals totals = TotalsOf(counted.counts);
  const Cycles cycles = CyclesOf(counted.counts, gpu);
  const auto microseconds = [&](double of) { return of / gpu.gigahertz / 1e3; };
  const double rate = gpu.processors * tokens / microseconds(cycles.all) * 1e6;
  const double roof = 2e9 * gpu.processors * gpu.float_lanes * gpu.gigahertz;
  return {{"shape", shape.name},
          {"width", int64_t{shape.package.config.width}},
          {"gpu", gpu.name},
          {"tokens", int64_t{tokens}},
          {"registers", RegistersOf(gpu.architecture)},
          {"shared_bytes", static_cast<int64_t>(engine::SharedBytes(counted.call.program, tokens))},
          {"barriers", static_cast<int64_t>(counted.counts.size())},
          {"multiply_adds", totals.multiply_adds},
          {"other_operations", totals.others},
          {"divisions", totals.divisions},
          {"doubles", totals.doubles},
          {"double_divisions", totals.double_divisions},
          {"constant_bytes", totals.constant_bytes},
          {"memory_bytes", totals.memory_bytes},
          {"issue_us", microseconds(cycles.issue)},
          {"float_us", microseconds(cycles.floats)},
          {"double_us", microseconds(cycles.doubles)},
          {"shared_us", microseconds(cycles.shared)},
          {"l2_us", microseconds(cycles.l2)},
          {"memory_us", microseconds(cycles.memory)},
          {"wait_us", microseconds(cycles.waits)},
          {"tile_us", microseconds(cycles.all)},
          {"bound", std::string(BoundOf(cycles))},
          {"tokens_per_second", rate},
          {"bus_tokens_per_second", kBusBytes / BusBytes(counted.call.program)},
          {"roof_share", rate * FlopPerToken(shape.package) / roof}};
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunDeviceBench() {
  const absl::StatusOr<std::vector<StepShape>> shapes = StepShapes();
  if (!shapes.ok()) return shapes.status();
  std::vector<Row> rows;
  for (const StepShape& shape : *shapes) {
    for (int tokens : kTileTokens) {
      const absl::StatusOr<Counted> counted = CountCall(shape.package, static_cast<size_t>(tokens));
      if (absl::IsResourceExhausted(counted.status())) break;  // too wide for a block of any GPU
      if (!counted.ok()) return counted.status();
      if (counted->call.tile_tokens != tokens) break;  // more tokens do not fit
      const uint64_t shared = engine::SharedBytes(counted->call.program, tokens);
      for (const Gpu& gpu : Gpus()) {
        if (shared <= gpu.shared_bytes) rows.push_back(RowOf(shape, *counted, gpu));
      }
    }
  }
  return rows;
}

}  // namespace aaren::bench
