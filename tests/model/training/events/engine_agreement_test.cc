// The network of training, over whole sequences, against the exact engine, event by event.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "model/engine/events/event_engine.h"
#include "model/nn/events/event_network.h"
#include "model/training/events/event_batch.h"
#include "tests/model/engine/events/random_events.h"
#include "tests/model/training/events/event_sequences.h"

namespace aaren::training {
namespace {

constexpr double kTolerance = 1e-5;  // in units of the output's scale
constexpr int kEvents = 302;

// The largest distance of two vectors, and the largest magnitude.
struct Apart {
  double distance = 0, scale = 0;

  void Add(double x, double y) {
    distance = std::max(distance, std::abs(x - y));
    scale = std::max(scale, std::abs(y));
  }
};

class EngineAgreementTest : public testing::TestWithParam<bool> {
 protected:
  EngineAgreementTest() : package_(events::RandomEventPackage(5)) {
    const events::EventSequence sequence = StepSequence(1, kEvents, GetParam());
    const std::vector<events::Event> all = EventsOf(sequence);
    const auto engine = *events::NewEventEngine(package_);
    events::EventRow row = events::NewEventRow(GetParam());
    results_.resize(all.size());
    const events::EventRun run = {&row, all, results_.data()};
    EXPECT_TRUE(engine->Step({&run, 1}, *engine->NewScratch()).ok());
    batch_ = EventBatchOf({&sequence, 1}, 1);
    EXPECT_TRUE(nn::TakeEventWeights(package_, network_).ok());
    torch::NoGradGuard no_grad;
    out_ = network_(torch::from_blob(batch_.inputs.data(), {1, batch_.tokens, int64_t{events::kInputs}}),
                    torch::from_blob(batch_.elapsed.data(), {1, batch_.tokens}));
  }

  const events::EventResult& ResultOf(int64_t token) const { return results_[token + 1]; }
  bool IsToken(int64_t token) const { return batch_.elapsed[token] >= 0; }

  const events::EventPackage package_;
  std::vector<events::EventResult> results_;
  EventBatch batch_;
  nn::EventNetwork network_;
  nn::EventOutputs out_;
};

TEST_P(EngineAgreementTest, OutlooksAgree) {
  Apart weight, at, spread, tie;
  for (int64_t t = 0; t < batch_.tokens; ++t) {
    ASSERT_EQ(IsToken(t), ResultOf(t).outlook.made()) << t;
    if (!IsToken(t)) continue;
    const torch::Tensor numbers = out_.time[0][t].contiguous();
    const events::Outlook batch = OutlookOf(numbers.const_data_ptr<float>(), batch_.targets[t].places, 0);
    const events::Outlook& engine = ResultOf(t).outlook;
    for (size_t k = 0; k < events::kComponents; ++k) {
      weight.Add(batch.weight[k], engine.weight[k]);
      at.Add(batch.at[k], engine.at[k]);
      spread.Add(batch.spread[k], engine.spread[k]);
    }
    tie.Add(batch.tie, engine.tie);
  }
  for (const Apart& one : {weight, at, spread, tie}) EXPECT_LT(one.distance, kTolerance * one.scale);
}

TEST_P(EngineAgreementTest, ProbabilitiesOfMarksAgree) {
  torch::NoGradGuard no_grad;
  Apart probability;
  for (int64_t t = 0; t < batch_.tokens; ++t) {
    if (!IsToken(t)) continue;
    const int64_t first = batch_.first_mark[t], known = batch_.first_mark[t + 1] - first;
    const torch::Tensor marks = torch::from_blob(batch_.marks.data() + first * kMarkStride, {known, kMarkStride})
                                    .narrow(1, 0, int64_t{events::kMarkInputs});
    const torch::Tensor middle = torch::silu(network_->mark_input(marks) + out_.mark_token[0][t]);
    const torch::Tensor logits = network_->mark_hidden(middle).squeeze(1) + marks.mv(out_.mark_line[0][t]);
    const torch::Tensor all = torch::cat({logits, out_.mark_new[0][t]}).softmax(0);
    for (int64_t k = 0; k < known; ++k) probability.Add(all[k].item<double>(), ResultOf(t).marks[k]);
    probability.Add(all[known].item<double>(), ResultOf(t).marks[events::kNewMark]);
  }
  EXPECT_LT(probability.distance, kTolerance * probability.scale);
}

INSTANTIATE_TEST_SUITE_P(Calendar, EngineAgreementTest, testing::Bool());

TEST(EventNetworkTest, ParametersAreThePackagesTensors) {
  events::EventPackage package;
  package.tensors = nn::TensorsOf(nn::EventNetwork());
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto& [name, tensor] : package.tensors) shapes[name] = tensor.shape;
  EXPECT_EQ(shapes, events::EventTensors());
}

TEST(EventNetworkTest, WeightsGoIntoAPackageAndBack) {
  const events::EventPackage package = events::RandomEventPackage(3);
  nn::EventNetwork network;
  ASSERT_TRUE(nn::TakeEventWeights(package, network).ok());
  EXPECT_EQ(nn::TensorsOf(network), package.tensors);
}

TEST(EventNetworkTest, ATensorThatIsAbsentIsNamed) {
  events::EventPackage package = events::RandomEventPackage(3);
  package.tensors.erase("time.bias");
  nn::EventNetwork network;
  const absl::Status status = nn::TakeEventWeights(package, network);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "the package has no tensor time.bias");
}

}  // namespace
}  // namespace aaren::training
