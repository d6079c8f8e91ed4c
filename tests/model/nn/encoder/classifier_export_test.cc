#include "model/nn/encoder/classifier_export.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <memory>
#include <vector>

#include "model/engine/classification/classifier_package.h"
#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"

namespace aaren::nn {
namespace {

constexpr int64_t kExportedSteps = 40, kExportedChannels = 5, kExportedClasses = 4;

Classifier Random() {
  torch::manual_seed(3);
  Classifier classifier(ClassifierOptions{.channels = kExportedChannels,
                                          .steps = kExportedSteps,
                                          .classes = kExportedClasses,
                                          .aaren = true,
                                          .causal_embedding = true});
  classifier->eval();
  return classifier;
}

package::ModelPackage PackageOf(const Classifier& classifier) {
  package::ModelPackage package;
  package.kind = package::kClassification;
  package.input_version = classification::kClassifierInputVersion;
  package.classifier = {.steps = kExportedSteps,
                        .classes = {"a", "b", "c", "d"},
                        .means = {0, 0, 0, 0, 0},
                        .deviations = {1, 1, 1, 1, 1}};
  package.tensors = *ClassifierTensors(classifier);
  return package;
}

// The engine's probabilities after every token of a series, [tokens, classes].
torch::Tensor Served(const package::ModelPackage& package, const torch::Tensor& series) {
  const auto engine = *engine::NewCpuEngine(package);
  const std::unique_ptr<engine::Lane> lane = engine->NewLane(1);
  engine::Slot slot;
  EXPECT_TRUE(lane->Allocate({&slot, 1}).ok() && lane->Reset({&slot, 1}).ok());
  const torch::Tensor numbers = series.to(torch::kFloat64).contiguous();
  const std::vector<float> inputs =
      engine::RunValues({numbers.data_ptr<double>(), static_cast<size_t>(numbers.numel())});
  const std::vector<uint8_t> wanted(static_cast<size_t>(series.size(0)), 1);
  torch::Tensor probabilities = torch::empty({series.size(0), kExportedClasses});
  const engine::Run run = {slot, inputs, wanted, probabilities.data_ptr<float>()};
  EXPECT_TRUE(lane->Submit({&run, 1}).ok());
  return probabilities;
}

TEST(ClassifierExportTest, ThePackageIsAClassifier) {
  const absl::Status status = classification::CheckClassifierPackage(PackageOf(Random()));
  EXPECT_TRUE(status.ok()) << status;
}

TEST(ClassifierExportTest, TheEngineGivesTheProbabilitiesOfTheNetwork) {
  Classifier classifier = Random();
  const torch::Tensor x = torch::randn({1, kExportedSteps, kExportedChannels});
  const torch::Tensor served = Served(PackageOf(classifier), x[0]);
  ClassifierState state = classifier->Start(1);
  for (int64_t t = 0; t < kExportedSteps; ++t) {
    const torch::Tensor step = *classifier->Step(state, x.select(1, t));
    EXPECT_LT((served[t] - step[0]).abs().max().item<float>(), 1e-5) << t;
  }
}

TEST(ClassifierExportTest, ATransformerIsRefused) {
  const Classifier classifier(ClassifierOptions{.steps = 2, .aaren = false});
  EXPECT_EQ(ClassifierTensors(classifier).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace aaren::nn
