// The engine of a device beside the CPU's: equal rows and outputs, whatever the batches; and the promises of a lane.

#include "model/engine/cuda/device/device_lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <deque>
#include <random>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/cuda/cuda_engine.h"
#include "model/engine/cuda/device/device_library.h"
#include "model/package/package.h"
#include "tests/model/engine/cuda/emulated_device.h"
#include "tests/model/engine/hard_series.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

using ::testing::HasSubstr;

package::ForecasterConfig WithSeasons(package::ForecasterConfig config) {
  config.seasons = true;
  return config;
}

package::ModelPackage Halved(package::ModelPackage package) {
  for (auto& [name, tensor] : package.tensors) {
    if (tensor.shape.size() != 2 || name.ends_with(".cos") || name.ends_with(".sin")) continue;
    for (float& value : tensor.data) value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffff0000u);
  }
  return package;
}

package::ModelPackage Tiny() { return RandomPackage(TinyConfig(), 41); }
package::ModelPackage TinySeasonal() { return Halved(RandomPackage(WithSeasons(TinyConfig()), 43)); }
package::ModelPackage Wide() {
  package::ForecasterConfig config = WithSeasons(TinyConfig());
  config.width = 150;
  config.heads = 3;
  config.value_width = 138;
  config.mlp_hidden = 270;
  config.embed_hidden = 33;
  config.layers = 1;
  config.horizon = 37;
  config.quantiles = {0.05f, 0.25f, 0.5f, 0.75f, 0.95f};
  return RandomPackage(config, 47);
}
// A small model for the streamed kernel.
package::ModelPackage Streamable() {
  package::ForecasterConfig config = TinyConfig();
  config.ring = 20;
  config.width = 128;
  config.layers = 1;
  config.heads = 4;
  config.value_width = 64;
  config.embed_hidden = 96;
  config.mlp_hidden = 256;
  config.horizon = 16;
  config.quantiles = {0.05f, 0.25f, 0.5f, 0.75f, 0.95f};
  return Halved(RandomPackage(config, 53));
}
package::ModelPackage StreamableSeasonal() {
  package::ForecasterConfig config = WithSeasons(Streamable().config);
  config.layers = 2;
  return Halved(RandomPackage(config, 59));
}
package::ModelPackage Bundled() { return package::LoadPackage(AAREN_BUNDLED_MODEL).value(); }

struct Case {
  const char* name;
  package::ModelPackage (*package)();
  size_t rounds;
  EmulatedSettings settings;
  KernelUse use = KernelUse::kBest;
};

void PrintTo(const Case& test, std::ostream* out) { *out << test.name; }

const Case kCases[] = {{"Tiny", Tiny, 120, {}},
                       {"TinySeasonal", TinySeasonal, 120, {.threads = 32, .seed = 7}},
                       {"LittleSharedMemory", TinySeasonal, 60, {.shared_bytes = 15 << 10}},
                       {"Wide", Wide, 40, {.threads = 256}},
                       {"Bundled", Bundled, 12, {.threads = 256, .processors = 1}},
                       {"Streamed", Streamable, 9, Streamed({0, 1, 2, 3, 4, 5, 6}), KernelUse::kInTurn},
                       {"StreamedSeasonal", StreamableSeasonal, 8, Streamed({0, 1, 2, 3, 4, 5, 6}), KernelUse::kInTurn},
                       {"StreamedBundled", Bundled, 7, Streamed({0, 1, 2, 3, 4, 5, 6}), KernelUse::kInTurn}};

// A device lane and a CPU lane get the same calls.
class World {
 public:
  World(const package::ModelPackage& package, const DeviceTable& table, KernelUse use, uint64_t seed)
      : cpu_(NewCpuEngine(package).value()),
        device_(NewDeviceEngine(package, table, use).value()),
        cpu_lane_(cpu_->NewLane(kSessions)),
        lane_(device_->NewLane(kSessions)),
        random_(seed) {
    for (size_t i = 0; i < kSessions; ++i) sessions_.emplace_back().series = EventfulSeries(2000);
    for (Session& session : sessions_) Open(session);
  }

  void Round() {
    Submit();
    if (random_() % 8 == 0) Reopen(sessions_[random_() % kSessions]);
    if (random_() % 6 == 0) Exchange(sessions_[random_() % kSessions]);
    while (!failed_ && !batches_.empty() && (batches_.size() > 3 || random_() % 2 == 0)) AnswerOne();
  }

  void End() {
    while (!failed_ && !batches_.empty()) AnswerOne();
    for (const Session& session : sessions_) {
      ASSERT_EQ(RowOf(*lane_, session.on_device), RowOf(*cpu_lane_, session.on_cpu));
    }
  }

 private:
  static constexpr size_t kSessions = 14;

  struct Session {
    std::vector<float> series;
    size_t taken = 0;
    Slot on_cpu, on_device;
    bool under_way = false;
  };
  struct Batch {
    Ticket ticket{};
    std::vector<Session*> sessions;
    std::vector<Portion> portions;
    std::vector<Outputs> expected, got;
  };

  void Open(Session& session) {
    for (auto [lane, slot] :
         {std::pair(cpu_lane_.get(), &session.on_cpu), std::pair(lane_.get(), &session.on_device)}) {
      ASSERT_TRUE(lane->Allocate({slot, 1}).ok());
      ASSERT_TRUE(lane->Reset({slot, 1}).ok());
    }
  }

  void Reopen(Session& session) {
    if (session.under_way) return;
    cpu_lane_->Free({&session.on_cpu, 1});
    lane_->Free({&session.on_device, 1});
    Open(session);
  }

  // Each lane gets the row's bytes from the opposite lane.
  void Exchange(Session& session) {
    if (session.under_way) return;
    const std::vector<std::byte> cpu = RowOf(*cpu_lane_, session.on_cpu), device = RowOf(*lane_, session.on_device);
    ASSERT_EQ(cpu, device);
    ASSERT_TRUE(device_->CheckRow(device).ok());
    const RowWrite to_cpu{session.on_cpu, device.data()}, to_device{session.on_device, cpu.data()};
    ASSERT_TRUE(cpu_lane_->Write({&to_cpu, 1}).ok());
    ASSERT_TRUE(lane_->Write({&to_device, 1}).ok());
  }

  std::vector<std::byte> RowOf(Lane& lane, Slot slot) {
    std::vector<std::byte> bytes(cpu_->row_bytes());
    const RowRead row{slot, bytes.data()};
    EXPECT_TRUE(lane.Read({&row, 1}).ok());
    return bytes;
  }

  Portion Draw(Session& session) {
    const size_t most = random_() % 10 == 0 ? 90 : 1 + random_() % 12;
    const size_t count = std::min<size_t>(1 + random_() % most, session.series.size() - session.taken);
    Portion portion;
    portion.slot = session.on_cpu;
    const size_t wish = random_() % 4;  // nothing, everything, some
    for (size_t i = 0; i < count; ++i) {
      portion.values.push_back(session.series[session.taken + i]);
      portion.forecast.push_back(wish == 0 ? 0 : wish == 1 ? 1 : random_() % 3 == 0);
    }
    portion.refinement = static_cast<Refinement>(random_() % 4);
    session.taken = (session.taken + count) % (session.series.size() - 100);
    return portion;
  }

  void Submit() {
    Batch& batch = batches_.emplace_back();
    for (Session& session : sessions_) {
      if (session.under_way || random_() % 3 != 0) continue;
      session.under_way = true;
      batch.sessions.push_back(&session);
      batch.portions.push_back(Draw(session));
    }
    if (batch.sessions.empty()) return batches_.pop_back();
    batch.expected = Make(batch);
    const absl::StatusOr<Ticket> cpu = cpu_lane_->Submit(Runs(batch, batch.expected));
    ASSERT_TRUE(cpu.ok()) << cpu.status();
    for (size_t i = 0; i < batch.sessions.size(); ++i) batch.portions[i].slot = batch.sessions[i]->on_device;
    batch.got = Make(batch);
    const absl::StatusOr<Ticket> ticket = lane_->Submit(Runs(batch, batch.got));
    ASSERT_TRUE(ticket.ok()) << ticket.status();
    batch.ticket = *ticket;
  }

  std::vector<Outputs> Make(const Batch& batch) const {
    std::vector<Outputs> outputs(batch.portions.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto& flags = batch.portions[i].forecast;
      const size_t wanted = flags.size() - std::count(flags.begin(), flags.end(), 0);
      outputs[i].results.resize(wanted * cpu_->result_floats());
      outputs[i].surprises.resize(flags.size());
    }
    return outputs;
  }

  std::vector<engine::Run> Runs(const Batch& batch, std::vector<Outputs>& outputs) const {
    std::vector<engine::Run> runs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Portion& portion = batch.portions[i];
      runs.push_back({.slot = portion.slot,
                      .values = portion.values,
                      .forecast = portion.forecast,
                      .forecasts = outputs[i].results.data(),
                      .surprises = outputs[i].surprises.data(),
                      .refinement = portion.refinement});
    }
    return runs;
  }

  // Answers a random batch under way, by Wait or by Poll.
  void AnswerOne() {
    const auto batch = batches_.begin() + static_cast<ptrdiff_t>(random_() % batches_.size());
    std::optional<absl::Status> status;
    if (random_() % 2 == 0) status = lane_->Wait(batch->ticket);
    while (!status) status = lane_->Poll(batch->ticket);
    failed_ = true;  // until the answer is found right
    ASSERT_TRUE(status->ok()) << *status;
    ASSERT_EQ(batch->got, batch->expected);
    failed_ = false;
    for (Session* session : batch->sessions) session->under_way = false;
    batches_.erase(batch);
  }

  const std::unique_ptr<Engine> cpu_, device_;
  const std::unique_ptr<Lane> cpu_lane_, lane_;
  std::vector<Session> sessions_;
  std::deque<Batch> batches_;
  std::mt19937_64 random_;
  bool failed_ = false;
};

class DeviceBitsTest : public testing::TestWithParam<Case> {
 protected:
  void Run(const DeviceTable& table) {
    World world(GetParam().package(), table, GetParam().use, 5);
    for (size_t round = 0; round < GetParam().rounds && !HasFatalFailure(); ++round) world.Round();
    world.End();
  }
};

INSTANTIATE_TEST_SUITE_P(Packages, DeviceBitsTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(DeviceBitsTest, AnyBatchesGiveTheCpusBits) {
  SetUpEmulatedDevice(GetParam().settings);
  Run(EmulatedDevice());
  EXPECT_EQ(StreamedCalls() > 0, GetParam().use == KernelUse::kInTurn);
}

TEST_P(DeviceBitsTest, AnyBatchesGiveTheCpusBitsOnAGpu) {
  const absl::StatusOr<const DeviceTable*> gpu = UsableGpu();
  if (!gpu.ok()) GTEST_SKIP() << gpu.status().message();
  Run(**gpu);
}

class DeviceLaneTest : public testing::Test {
 protected:
  DeviceLaneTest() {
    SetUpEmulatedDevice({});
    engine_ = NewDeviceEngine(RandomPackage(TinyConfig(), 1), EmulatedDevice()).value();
    lane_ = engine_->NewLane(5);
    forecast_.resize(engine_->result_floats(), kNothing);
  }

  static constexpr float kNothing = -7.0f;

  // Two tokens of the slot, the second forecast from.
  absl::StatusOr<Ticket> Submit(Slot slot) {
    const engine::Run run = {
        .slot = slot, .values = values_, .forecast = flags_, .forecasts = forecast_.data(), .surprises = nullptr};
    return lane_->Submit({&run, 1});
  }
  Slot Open() {
    Slot slot;
    EXPECT_TRUE(lane_->Allocate({&slot, 1}).ok());
    EXPECT_TRUE(lane_->Reset({&slot, 1}).ok());
    return slot;
  }

  const std::vector<float> values_ = {1, 2};
  const std::vector<uint8_t> flags_ = {0, 1};
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Lane> lane_;
  std::vector<float> forecast_;
};

TEST_F(DeviceLaneTest, ABatchIsUnderWayUntilItIsPolledDone) {
  const Ticket ticket = Submit(Open()).value();
  EXPECT_EQ(lane_->Poll(ticket), std::nullopt);
  EXPECT_EQ(forecast_[0], kNothing);
  std::optional<absl::Status> status;
  while (!(status = lane_->Poll(ticket))) continue;
  EXPECT_EQ(*status, absl::OkStatus());
  EXPECT_NE(forecast_[0], kNothing);
}

TEST_F(DeviceLaneTest, ARowUnderWayIsRefusedEverywhere) {
  const Slot slot = Open();
  const Ticket ticket = Submit(slot).value();
  std::vector<std::byte> bytes(engine_->row_bytes());
  const RowRead read{slot, bytes.data()};
  const RowWrite write{slot, bytes.data()};
  for (const absl::Status& status :
       {lane_->Read({&read, 1}), lane_->Write({&write, 1}), lane_->Reset({&slot, 1}), Submit(slot).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("slot 0"));
  }
  EXPECT_TRUE(lane_->Wait(ticket).ok());
  EXPECT_TRUE(lane_->Read({&read, 1}).ok());
}

TEST_F(DeviceLaneTest, MoreBatchesThanItHoldsAreStillAnsweredOnceEach) {
  std::vector<Ticket> tickets;
  for (int i = 0; i < 5; ++i) tickets.push_back(Submit(Open()).value());
  for (Ticket ticket : tickets) EXPECT_TRUE(lane_->Wait(ticket).ok());
  EXPECT_EQ(lane_->Wait(tickets[0]).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(DeviceLaneTest, AFailedDeviceIsToldByTheTicket) {
  const Slot slot = Open();
  SetUpEmulatedDevice({.fails_from = 0});
  const absl::Status status = lane_->Wait(Submit(slot).value());
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("told to fail"));
}

TEST_F(DeviceLaneTest, AFullDeviceTakesNoneOfTheRowsAskedFor) {
  const std::unique_ptr<Lane> lane = engine_->NewLane(1 << 20);
  std::vector<Slot> first(1), many(20000);
  ASSERT_TRUE(lane->Allocate(absl::MakeSpan(first)).ok());
  SetUpEmulatedDevice({.memory_bytes = EmulatedBytes()});
  const absl::Status status = lane->Allocate(absl::MakeSpan(many));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the device has no"));
  EXPECT_EQ(lane->used(), 1u);
}

TEST_F(DeviceLaneTest, ANetworkThatABlockCannotHoldIsRefused) {
  SetUpEmulatedDevice({.shared_bytes = 1 << 10});
  const absl::Status status = NewDeviceEngine(RandomPackage(TinyConfig(), 1), EmulatedDevice()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("shared memory"));
}

TEST_F(DeviceLaneTest, NothingOfTheDevicesMemoryIsLeftBehind) {
  lane_.reset();
  const uint64_t before = EmulatedBytes();
  lane_ = engine_->NewLane(5);
  Submit(Open()).value();
  EXPECT_GT(EmulatedBytes(), before);
  lane_.reset();
  EXPECT_EQ(EmulatedBytes(), before);
}

}  // namespace
}  // namespace aaren::engine
