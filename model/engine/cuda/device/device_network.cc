#include "model/engine/cuda/device/device_network.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/engine/cuda/device/device_memory.h"
#include "model/engine/cuda/network_image.h"
#include "model/engine/cuda/stream/packed_stream.h"
#include "model/engine/cuda/tile_plan.h"
#include "model/engine/forecasting/row.h"
#include "model/engine/forecasting/tile.h"

namespace aaren::engine {
namespace {

// A shard's step asks for half as many forecasts.
constexpr size_t kDeviceTokens = 2048;
constexpr int kTileTokens[] = {8, 16, 32};

// The network's plans by form, with 0 tokens where a form has no plan, and the plans' weights on the device.
struct DeviceStreams {
  std::array<StreamPlan, kStreamFormCount> plans = {};
  std::vector<DeviceMemory> memory;
};

class DeviceNetwork final : public Network {
 public:
  DeviceNetwork(const package::ForecasterConfig& config, const DeviceTable& table, const DeviceFacts& facts,
                const Program& program, DeviceMemory image, DeviceStreams streams, KernelUse use)
      : layout_(config),
        table_(table),
        facts_(facts),
        program_(program),
        image_(std::move(image)),
        streams_(std::move(streams)),
        use_(use) {
    program_.image = image_.data();
  }

  size_t tile_tokens() const override { return kDeviceTokens; }
  std::unique_ptr<Pass> NewPass() const override;

  const RowLayout& layout() const { return layout_; }
  const DeviceTable& table() const { return table_; }
  const DeviceFacts& facts() const { return facts_; }
  const Program& program() const { return program_; }

  // The smallest tiles whose blocks all run side by side. With too many tokens, the largest tiles that fit.
  int TileTokensFor(size_t tokens) const;

  // The streamed kernel's plan for a call, or null if the plain kernel has to take the call.
  const StreamPlan* StreamFor(size_t tokens, size_t longest_run) const;

  std::atomic<int>& calls_under_way() const { return calls_under_way_; }

 private:
  const StreamPlan* NextStream() const;

  const RowLayout layout_;
  const DeviceTable& table_;
  const DeviceFacts facts_;
  Program program_;
  const DeviceMemory image_;
  const DeviceStreams streams_;
  const KernelUse use_;
  mutable std::atomic<int> calls_under_way_ = 0;
  mutable std::atomic<uint32_t> turn_ = 0;
};

// A piece of the host's memory with an equal piece on the device. Filled from the front, and copied at once.
class Staging {
 public:
  absl::Status Allocate(const DeviceTable& table, size_t bytes);
  void Clear() { used_ = 0; }

  // Room for `count` numbers, on the host and on the device.
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
  ~DevicePass() override { SetUnderWay(false); }

  void Begin(Tile& tile) override;
  bool Done() override { return !status_.ok() || queue_.Done(); }
  absl::Status End(Tile& tile) override;

 private:
  size_t ForecastFloats() const { return static_cast<size_t>(program_.horizon) * static_cast<size_t>(program_.levels); }
  void SetUnderWay(bool under_way);
  void TakeTokens(const Tile& tile, ForwardCall& call);
  void TakeInputs(Tile& tile, ForwardCall& call);
  void PlanBlocks(ForwardCall& call);

  const DeviceNetwork& network_;
  const Program& program_;
  std::vector<DeviceToken> tokens_;
  TilePlan plan_;
  const StreamPlan* stream_ = nullptr;
  bool under_way_ = false;
  Staging in_, out_;
  absl::Status status_;  // the constructor's status
  DeviceQueue queue_;    // after the memory that the queue works on: the destructor waits
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

const StreamPlan* DeviceNetwork::StreamFor(size_t tokens, size_t longest_run) const {
  if (use_ == KernelUse::kInTurn) return NextStream();
  FormQuestion question;
  for (size_t form = 0; form < kStreamFormCount; ++form) {
    if (streams_.plans[form].tokens > 0) question.clusters[form] = facts_.clusters[form];
  }
  question.processors = facts_.processors;
  question.tokens = tokens;
  question.longest_run = longest_run;
  // A hint for the choice of a form: no other memory depends on the number, so no order is needed.
  question.calls_under_way = calls_under_way_.load(std::memory_order_relaxed);
  const int form = ChooseForm(question);
  return form < 0 ? nullptr : &streams_.plans[static_cast<size_t>(form)];
}

const StreamPlan* DeviceNetwork::NextStream() const {
  for (size_t tries = 0; tries < kStreamFormCount; ++tries) {
    const StreamPlan& plan = streams_.plans[turn_.fetch_add(1, std::memory_order_relaxed) % kStreamFormCount];
    if (plan.tokens > 0) return &plan;
  }
  return nullptr;
}

DevicePass::DevicePass(const DeviceNetwork& network)
    : network_(network), program_(network.program()), queue_(network.table()) {
  const size_t floats =
      static_cast<size_t>(program_.input_stride + program_.standard_stride + program_.residual_stride);
  const size_t token = sizeof(DeviceToken) + sizeof(DeviceTile) + sizeof(DeviceBlock) + floats * sizeof(float);
  // Each of the six pieces may be padded up to the next alignment.
  status_ = in_.Allocate(network.table(), kDeviceTokens * token + 8 * Staging::kAlignment);
  if (status_.ok()) status_ = out_.Allocate(network.table(), kDeviceTokens * ForecastFloats() * sizeof(float));
  // Room for the largest tile is taken now, because nothing allocates between CheckRun and Finish (task.h).
  tokens_.reserve(kDeviceTokens);
  plan_.tiles.reserve(kDeviceTokens);
  plan_.blocks.reserve(kDeviceTokens);
}

void DevicePass::SetUnderWay(bool under_way) {
  if (under_way != under_way_) network_.calls_under_way().fetch_add(under_way ? 1 : -1, std::memory_order_relaxed);
  under_way_ = under_way;
}

void DevicePass::Begin(Tile& tile) {
  if (!status_.ok()) return;
  ForwardCall call = {};
  call.program = program_;
  call.threads = network_.facts().threads;
  in_.Clear();
  out_.Clear();
  TakeTokens(tile, call);
  PlanBlocks(call);
  TakeInputs(tile, call);
  call.forecasts = out_.Take<float>(call.forecast_count * ForecastFloats()).second;
  queue_.CopyIn(in_.device(), in_.host(), in_.used());
  if (stream_ != nullptr) {
    queue_.ForwardStreamed(call, *stream_);
  } else {
    queue_.Forward(call);
  }
  SetUnderWay(true);
  // A tile whose tokens only fold has nothing to copy back.
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
  call.tokens = in_.Put(tokens_.data(), tokens_.size());
  call.token_count = static_cast<uint32_t>(tokens_.size());
}

void DevicePass::PlanBlocks(ForwardCall& call) {
  stream_ = network_.StreamFor(tokens_.size(), LongestRun(tokens_));
  call.tile_tokens = stream_ != nullptr ? stream_->tokens : network_.TileTokensFor(tokens_.size());
  PlanTiles(tokens_, static_cast<size_t>(call.tile_tokens), plan_);
  call.tiles = in_.Put(plan_.tiles.data(), plan_.tiles.size());
  call.blocks = in_.Put(plan_.blocks.data(), plan_.blocks.size());
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
  const absl::Status status = queue_.Wait();
  SetUnderWay(false);
  if (!status.ok()) return status;
  float* made = reinterpret_cast<float*>(out_.host());
  for (size_t t = 0; t < tile.size; ++t) {
    TileToken& token = tile.tokens[t];
    if (!token.forecasts()) continue;
    if (token.wanted) {
      std::copy_n(made, ForecastFloats(), token.forecast);
    } else {
      // A probe's forecast is read where the copy lies, before the next tile begins.
      token.forecast = made;
    }
    made += ForecastFloats();
  }
  return absl::OkStatus();
}

absl::StatusOr<DeviceMemory> CopyToDevice(const DeviceTable& table, const std::vector<std::byte>& bytes) {
  absl::StatusOr<DeviceMemory> memory = DeviceMemory::OnDevice(table, bytes.size());
  if (!memory.ok()) return memory;
  DeviceQueue queue(table);
  queue.CopyIn(memory->data(), bytes.data(), bytes.size());
  if (absl::Status status = queue.Wait(); !status.ok()) return status;
  return memory;
}

absl::StatusOr<DeviceStreams> StreamsOf(const NetworkImage& image, const DeviceTable& table, const DeviceFacts& facts) {
  DeviceStreams streams;
  for (size_t form = 0; form < kStreamFormCount; ++form) {
    if (facts.clusters[form] == 0) continue;
    // Weights are packed for each form, in the order in which the form's threads read them.
    const PackedStream packed(image, kStreamForms[form], facts.shared_bytes);
    // The plain kernel takes any network, so a form that does not fit is left out.
    if (!packed.fits()) continue;
    absl::StatusOr<DeviceMemory> memory = CopyToDevice(table, packed.bytes);
    if (!memory.ok()) return memory.status();
    streams.plans[form] = packed.PlanAt(memory->data());
    streams.memory.push_back(*std::move(memory));
  }
  return streams;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Network>> NewDeviceNetwork(const package::ModelPackage& package,
                                                          const DeviceTable& table, KernelUse use) {
  DeviceFacts facts = {};
  if (const char* error = table.facts(&facts)) return absl::InternalError(absl::StrCat("the device failed: ", error));
  const NetworkImage image(package);
  const uint64_t needed = SharedBytes(image.program, kTileTokens[0]);
  if (needed > facts.shared_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("the network is too wide for ", facts.name, ": a block needs ",
                                                     needed, " bytes of shared memory, and has ", facts.shared_bytes));
  }
  absl::StatusOr<DeviceMemory> memory = CopyToDevice(table, image.bytes);
  if (!memory.ok()) return memory.status();
  absl::StatusOr<DeviceStreams> streams = StreamsOf(image, table, facts);
  if (!streams.ok()) return streams.status();
  return std::make_unique<DeviceNetwork>(package.config, table, facts, image.program, *std::move(memory),
                                         *std::move(streams), use);
}

}  // namespace aaren::engine
