#include "model/nn/forecaster/export.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <bit>
#include <cmath>
#include <string>

namespace aaren::nn {
namespace {

package::ForecasterConfig ExportedConfig() {
  package::ForecasterConfig config;
  config.ring = 8;
  config.width = 12;
  config.layers = 2;
  config.heads = 2;
  config.value_width = 8;
  config.embed_hidden = 10;
  config.mlp_hidden = 6;
  config.horizon = 3;
  config.fold_every = 4;
  return config;
}

Forecaster Seeded() {
  torch::manual_seed(1);
  return Forecaster(ExportedConfig());
}

TEST(ToPackageTest, HoldsExactlyTheTensorsOfAPackage) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto& [name, tensor] : ToPackage(Seeded()).tensors) shapes[name] = tensor.shape;
  EXPECT_EQ(shapes, package::ExpectedTensors(ExportedConfig()));
}

TEST(ToPackageTest, OneWithSeasonsIsSavedAndLoaded) {
  package::ForecasterConfig config = ExportedConfig();
  config.seasons = true;
  package::ModelPackage package = ToPackage(Forecaster(config));
  package.name = "seasonal";
  const std::string folder = ::testing::TempDir() + "/exported_with_seasons";
  ASSERT_TRUE(package::SavePackage(folder, package).ok());
  const absl::StatusOr<package::ModelPackage> loaded = package::LoadPackage(folder);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->tensors, package.tensors);
  EXPECT_EQ(loaded->config, config);
  EXPECT_EQ(loaded->tensors.at("season.gate.weight").shape, (std::vector<int64_t>{15, 12})) << "three knots of five";
}

TEST(ToPackageTest, ScoreIsTheQueryFoldedInDouble) {
  Forecaster forecaster = Seeded();
  const package::ModelPackage package = ToPackage(forecaster);
  forecaster->to(torch::kFloat64);
  const torch::Tensor folded =
      forecaster->blocks[1]->as<GatedBlock>()->attention->FoldedQuery().to(torch::kFloat32).contiguous();
  const std::vector<float> expected(folded.data_ptr<float>(), folded.data_ptr<float>() + folded.numel());
  EXPECT_EQ(package.tensors.at("blocks.1.attention.score.weight").data, expected);
}

TEST(ToPackageTest, RotationsAreTabulatedForEveryGap) {
  Forecaster forecaster = Seeded();
  const package::ModelPackage package = ToPackage(forecaster);
  const double rate = AttentionOptions(ExportedConfig()).rates()[2];  // pair 0 of the rotary head
  const package::Tensor &cosine = package.tensors.at("blocks.0.attention.cos"),
                        &sine = package.tensors.at("blocks.0.attention.sin");
  for (int gap = 1; gap <= 4; ++gap) {
    EXPECT_EQ(cosine.data[(gap - 1) * 4 + 2], static_cast<float>(std::cos(rate * gap)));
    EXPECT_EQ(sine.data[(gap - 1) * 4 + 2], static_cast<float>(std::sin(rate * gap)));
    EXPECT_EQ(cosine.data[(gap - 1) * 4], 1) << "a plain head does not turn";
  }
}

TEST(RoundMatricesTest, MatricesAreTheNearestOfHalfTheBitsAndAllElseStays) {
  const package::ModelPackage exact = ToPackage(Seeded());
  package::ModelPackage rounded = exact;
  RoundMatrices(rounded);
  for (const auto& [name, tensor] : exact.tensors) {
    const bool matrix = tensor.shape.size() == 2 && name.ends_with("weight");
    if (!matrix) {
      EXPECT_EQ(rounded.tensors.at(name).data, tensor.data) << name;
    }
    for (size_t i = 0; matrix && i < tensor.data.size(); ++i) {
      const float value = rounded.tensors.at(name).data[i];
      ASSERT_EQ(std::bit_cast<uint32_t>(value) & 0xffff, 0u) << name;
      ASSERT_LE(std::fabs(value - tensor.data[i]), std::ldexp(std::fabs(tensor.data[i]), -8)) << name;
    }
  }
}

TEST(ToPackageTest, PackageCanBeSavedAndLoaded) {
  package::ModelPackage package = ToPackage(Seeded());
  package.name = "tiny";
  const std::string folder = ::testing::TempDir() + "/exported";
  ASSERT_TRUE(package::SavePackage(folder, package).ok());
  const absl::StatusOr<package::ModelPackage> loaded = package::LoadPackage(folder);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->tensors, package.tensors);
  EXPECT_EQ(loaded->config, ExportedConfig());
}

}  // namespace
}  // namespace aaren::nn
