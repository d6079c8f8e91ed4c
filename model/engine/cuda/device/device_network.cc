#include "model/engine/cuda/device/device_network.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/engine/cuda/device/device_memory.h"
#include "model/engine/cuda/network_image.h"
#include "model/engine/cuda/tile_plan.h"
#include "model/engine/forecasting/row.h"
#include "model/engine/forecasting/tile.h"

namespace aaren::engine {
namespace {

// A shard's step asks for half as many forecasts.
constexpr size_t kDeviceTokens = 2048;
constexpr int kTileTokens[] = {8, 16, 32};

class DeviceNetwork final : public Network {
 public:
  DeviceNetwork(const package::ForecasterConfig& config, const DeviceTable& table, const DeviceFacts& facts,
                const Program& program, DeviceMemory image)
      : layout_(config), table_(table), facts_(facts), program_(program), image_(std::move(image)) {
    program_.image = image_.data();
  }

  size_t tile_tokens() const override { return kDeviceTokens; }
  std::unique_ptr<Pass> NewPass() const override;

  const RowLayout& layout() const { return layout_; }
  const DeviceTable& table() const { return table_; }
  const DeviceFacts& facts() const { return facts_; }
  const Program& program() const { return program_; }

  // The smallest tiles whose blocks all run beside each other; the largest that fit where there are too many tokens.
  int TileTokensFor(size_t tokens) const;

 private:
  const RowLayout layout_;
  const DeviceTable& table_;
  const DeviceFacts facts_;
  Program program_;
  const DeviceMemory image_;
};

// One piece of memory of the host and its like on the device. It is filled from the front, and copied at once.
class Staging {
 public:
  absl::Status Allocate(const DeviceTable& table, size_t bytes);
  void Clear() { used_ = 0; }

  // Room for `count` more, and where it lies on the device.
  template <class T>
  std::pair<T*, T*> Take(size_t count) {
    const size_t at = used_;
    used_ = (used_ + count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return {reinterpret_cast<T*>(host_.data() + at), reinterpret_cast<T*>(device_.data() + at)};
  }
  template <class T>
  const T* Put(const T* from, size_t count) {
    const auto [host, device] = Take<T>(count);
    std::memcpy(host, from, count * sizeof(T));
    return device;
  }

  std::byte* host() const { return host_.data(); }
  std::byte* device() const { return device_.data(); }
  size_t used() const { return used_; }

  static constexpr size_t kAlignment = 64;

 private:
  DeviceMemory host_, device_;
  size_t used_ = 0;
};

absl::Status Staging::Allocate(const DeviceTable& table, size_t bytes) {
  absl::StatusOr<DeviceMemory> host = DeviceMemory::OnHost(table, bytes);
  if (!host.ok()) return host.status();
  absl::StatusOr<DeviceMemory> device = DeviceMemory::OnDevice(table, bytes);
  if (!device.ok()) return device.status();
  host_ = *std::move(host);
  device_ = *std::move(device);
  return absl::OkStatus();
}

class DevicePass final : public Network::Pass {
 public:
  explicit DevicePass(const DeviceNetwork& network);

  void Begin(Tile& tile) override;
  bool Done() override { return !status_.ok() || queue_.Done(); }
  absl::Status End(Tile& tile) override;

 private:
  size_t ForecastFloats() const { return static_cast<size_t>(program_.horizon) * static_cast<size_t>(program_.levels); }
  void TakeTokens(const Tile& tile, ForwardCall& call);
  void TakeInputs(Tile& tile, ForwardCall& call);

  const DeviceNetwork& network_;
  const Program& program_;
  std::vector<DeviceToken> tokens_;
  TilePlan plan_;
  Staging in_, out_;
  absl::Status status_;  // of making this
  DeviceQueue queue_;    // after the memory that it works on: its end waits
};

std::unique_ptr<Network::Pass> DeviceNetwork::NewPass() const { return std::make_unique<DevicePass>(*this); }

int DeviceNetwork::TileTokensFor(size_t tokens) const {
  int chosen = kTileTokens[0];
  for (int tile_tokens : kTileTokens) {
    if (SharedBytes(program_, tile_tokens) > facts_.shared_bytes) break;
    chosen = tile_tokens;
    if (tokens <= static_cast<size_t>(tile_tokens) * static_cast<size_t>(facts_.processors)) break;
  }
  return chosen;
}

DevicePass::DevicePass(const DeviceNetwork& network)
    : network_(network), program_(network.program()), queue_(network.table()) {
  const size_t floats =
      static_cast<size_t>(program_.input_stride + program_.standard_stride + program_.residual_stride);
  const size_t token = sizeof(DeviceToken) + sizeof(DeviceTile) + sizeof(DeviceBlock) + floats * sizeof(float);
  status_ = in_.Allocate(network.table(), kDeviceTokens * token + 8 * Staging::kAlignment);
  if (status_.ok()) status_ = out_.Allocate(network.table(), kDeviceTokens * ForecastFloats() * sizeof(float));
  tokens_.reserve(kDeviceTokens);
  plan_.tiles.reserve(kDeviceTokens);
  plan_.blocks.reserve(kDeviceTokens);
}

void DevicePass::Begin(Tile& tile) {
  if (!status_.ok()) return;
  ForwardCall call = {};
  call.program = program_;
  call.tile_tokens = network_.TileTokensFor(tile.size);
  call.threads = network_.facts().threads;
  in_.Clear();
  out_.Clear();
  TakeTokens(tile, call);
  TakeInputs(tile, call);
  call.forecasts = out_.Take<float>(call.forecast_count * ForecastFloats()).second;
  queue_.CopyIn(in_.device(), in_.host(), in_.used());
  queue_.Forward(call);
  if (call.forecast_count > 0) queue_.CopyOut(out_.host(), out_.device(), out_.used());
}

void DevicePass::TakeTokens(const Tile& tile, ForwardCall& call) {
  tokens_.clear();
  for (size_t t = 0; t < tile.size; ++t) {
    const TileToken& token = tile.tokens[t];
    double* state;
    std::memcpy(&state, token.row + network_.layout().layers_offset(), sizeof(state));
    tokens_.push_back({.state = state,
                       .center = token.scaling.center,
                       .scale = token.scaling.scale,
                       .forecast = token.forecasts() ? call.forecast_count++ : kOnlyFolds,
                       .age = static_cast<uint16_t>(token.age),
                       .folds = token.folds});
  }
  PlanTiles(tokens_, static_cast<size_t>(call.tile_tokens), plan_);
  call.tokens = in_.Put(tokens_.data(), tokens_.size());
  call.tiles = in_.Put(plan_.tiles.data(), plan_.tiles.size());
  call.blocks = in_.Put(plan_.blocks.data(), plan_.blocks.size());
  call.token_count = static_cast<uint32_t>(tokens_.size());
  call.tile_count = static_cast<uint32_t>(plan_.tiles.size());
  call.block_count = static_cast<uint32_t>(plan_.blocks.size());
}

void DevicePass::TakeInputs(Tile& tile, ForwardCall& call) {
  call.inputs = in_.Put(tile.input[0], tile.size * tile.input.stride());
  if (program_.knots == 0) return;
  call.standard = in_.Put(tile.standard[0], tile.size * tile.standard.stride());
  call.residuals = in_.Put(tile.residuals[0], tile.size * tile.residuals.stride());
}

absl::Status DevicePass::End(Tile& tile) {
  if (!status_.ok()) return status_;
  if (absl::Status status = queue_.Wait(); !status.ok()) return status;
  float* made = reinterpret_cast<float*>(out_.host());
  for (size_t t = 0; t < tile.size; ++t) {
    TileToken& token = tile.tokens[t];
    if (!token.forecasts()) continue;
    if (token.wanted) {
      std::copy_n(made, ForecastFloats(), token.forecast);
    } else {
      token.forecast = made;
    }
    made += ForecastFloats();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Network>> NewDeviceNetwork(const package::ModelPackage& package,
                                                          const DeviceTable& table) {
  DeviceFacts facts = {};
  if (const char* error = table.facts(&facts)) return absl::InternalError(absl::StrCat("the device failed: ", error));
  const NetworkImage image(package);
  const uint64_t needed = SharedBytes(image.program, kTileTokens[0]);
  if (needed > facts.shared_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("the network is too wide for ", facts.name, ": a block needs ",
                                                     needed, " bytes of shared memory, and has ", facts.shared_bytes));
  }
  absl::StatusOr<DeviceMemory> memory = DeviceMemory::OnDevice(table, image.bytes.size());
  if (!memory.ok()) return memory.status();
  DeviceQueue queue(table);
  queue.CopyIn(memory->data(), image.bytes.data(), image.bytes.size());
  if (absl::Status status = queue.Wait(); !status.ok()) return status;
  return std::make_unique<DeviceNetwork>(package.config, table, facts, image.program, *std::move(memory));
}

}  // namespace aaren::engine
