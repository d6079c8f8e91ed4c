#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "tests/model/attention/scan/scan_case.h"
#include "tests/model/attention/scan/scan_device.h"

// The CUDA kernels of the scan against the dense definition, on a GPU if available, and emulated everywhere.

namespace aaren::attention {
namespace {

enum class Where { kEmulated, kGpu };

const char* PlaceName(Where where) { return where == Where::kEmulated ? "Emulated" : "Gpu"; }
void PrintTo(Where where, std::ostream* out) { *out << PlaceName(where); }

// Copies of a case's arrays in a device's memory, freed with this object.
template <typename Float>
class Copies {
 public:
  Copies(ScanDevice& device, ScanCase<Float>& original) : device_(device) {
    for (std::vector<Float>* array : original.arrays()) {
      Copy copy{array, static_cast<Float*>(device.Allocate(array->size() * sizeof(Float)))};
      device.CopyIn(copy.memory, array->data(), array->size() * sizeof(Float));
      copies_[array->data()] = copy;
    }
  }
  ~Copies() {
    for (const auto& [host, copy] : copies_) device_.Free(copy.memory);
  }

  void CopyBack() {
    for (auto& [host, copy] : copies_) {
      device_.CopyOut(copy.array->data(), copy.memory, copy.array->size() * sizeof(Float));
    }
  }

  ScanForward<Float> Moved(ScanForward<Float> call) const {
    Move(call.scores), Move(call.elapsed), Move(call.decay), Move(call.values), Move(call.outputs), Move(call.shares);
    return call;
  }
  ScanBackward<Float> Moved(ScanBackward<Float> call) const {
    Move(call.shares), Move(call.values), Move(call.outputs), Move(call.gradients);
    Move(call.score_gradients), Move(call.value_gradients);
    return call;
  }

 private:
  struct Copy {
    std::vector<Float>* array;
    Float* memory;
  };

  template <typename Pointer>
  void Move(Pointer& pointer) const {
    if (pointer != nullptr) pointer = copies_.at(pointer).memory;
  }

  ScanDevice& device_;
  std::map<const Float*, Copy> copies_;
};

template <typename Float>
void ExpectDense(ScanDevice& device, const ScanCaseOptions& options) {
  SCOPED_TRACE(testing::Message() << "width " << options.shape.width << ", tokens " << options.shape.tokens
                                  << ", bytes a number " << sizeof(Float));
  ScanCase<Float> scan(options);
  Copies<Float> copies(device, scan);
  ASSERT_EQ(device.Run(copies.Moved(scan.forward())), "");
  copies.CopyBack();
  const Worst forward = scan.CheckForward();
  EXPECT_LE(forward.worst, 1) << forward.place;
  ASSERT_EQ(device.Run(copies.Moved(scan.backward())), "");
  copies.CopyBack();
  const Worst backward = scan.CheckBackward();
  EXPECT_LE(backward.worst, 1) << backward.place;
}

class ScanCudaTest : public testing::TestWithParam<Where> {
 protected:
  void SetUp() override {
    std::string missing;
    device_ = GetParam() == Where::kEmulated ? EmulatedDevice() : Gpu(missing);
    if (device_ == nullptr) GTEST_SKIP() << missing;
  }

  void ExpectDenseInFloatAndDouble(const ScanCaseOptions& options) {
    ExpectDense<float>(*device_, options);
    ExpectDense<double>(*device_, options);
  }

  std::unique_ptr<ScanDevice> device_;
};

TEST_P(ScanCudaTest, EqualsTheDenseFormForAnyLength) {
  for (int64_t tokens : {1, 2, 31, 32, 33, 64, 65}) ExpectDenseInFloatAndDouble({.shape = {1, 2, tokens, 16}});
}

TEST_P(ScanCudaTest, EqualsTheDenseFormForAnyWidth) {
  for (int64_t width : {1, 16, 31, 32, 33, 64, 128}) ExpectDenseInFloatAndDouble({.shape = {2, 2, 40, width}});
}

TEST_P(ScanCudaTest, EqualsTheDenseFormWhereASequenceIsWiderThanABlock) {
  ExpectDenseInFloatAndDouble({.shape = {1, 1, 33, 300}});
  ExpectDenseInFloatAndDouble({.shape = {2, 1, 5, 513}});
}

TEST_P(ScanCudaTest, EqualsTheDenseFormForLongSequences) {
  ExpectDense<float>(*device_, {.shape = {1, 1, 1000, 128}});
  ExpectDense<double>(*device_, {.shape = {1, 1, 1000, 33}});
}

TEST_P(ScanCudaTest, Forgets) { ExpectDenseInFloatAndDouble({.shape = {1, 3, 200, 33}, .forgets = true}); }

TEST_P(ScanCudaTest, MaskedTokensDoNotCountThoughTheirValuesAreNaN) {
  ExpectDenseInFloatAndDouble({.shape = {1, 2, 200, 20}, .masked = 0.3});
  ExpectDenseInFloatAndDouble({.shape = {1, 2, 200, 20}, .forgets = true, .masked = 0.9});
}

TEST_P(ScanCudaTest, OutputsAreZeroUntilTheFirstTokenThatIsNotMasked) {
  ExpectDenseInFloatAndDouble({.shape = {1, 2, 100, 8}, .masked_first = 70});
  ExpectDenseInFloatAndDouble({.shape = {1, 2, 100, 8}, .masked_first = 100});
}

TEST_P(ScanCudaTest, TakesAnyStrides) { ExpectDenseInFloatAndDouble({.shape = {2, 3, 50, 24}, .token_major = true}); }

TEST_P(ScanCudaTest, HoldsForExtremeScores) {
  ExpectDenseInFloatAndDouble({.shape = {1, 2, 300, 16}, .score_scale = 30});
  ExpectDenseInFloatAndDouble({.shape = {1, 2, 300, 16}, .forgets = true, .score_scale = 1e4});
}

TEST_P(ScanCudaTest, OutputsAreTheSameBitsWithoutMemoryForShares) {
  ScanCase<float> with({.shape = {2, 2, 70, 33}}), without({.shape = {2, 2, 70, 33}});
  Copies<float> copies_with(*device_, with), copies_without(*device_, without);
  ScanForward<float> call = copies_without.Moved(without.forward());
  call.shares = nullptr;
  ASSERT_EQ(device_->Run(copies_with.Moved(with.forward())), "");
  ASSERT_EQ(device_->Run(call), "");
  copies_with.CopyBack();
  copies_without.CopyBack();
  EXPECT_EQ(with.outputs(), without.outputs());
  EXPECT_LE(with.CheckForward().worst, 1);
}

INSTANTIATE_TEST_SUITE_P(Devices, ScanCudaTest, testing::Values(Where::kEmulated, Where::kGpu),
                         [](const auto& info) { return PlaceName(info.param); });

}  // namespace
}  // namespace aaren::attention
