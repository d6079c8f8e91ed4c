#include "tests/e2e/soak/memory.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace aaren::soak {
namespace {

double Mebibytes(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

std::vector<uint64_t> Memory::Third(size_t third) const {
  const size_t begin = samples_.size() * third / 3, end = samples_.size() * (third + 1) / 3;
  return {samples_.begin() + static_cast<ptrdiff_t>(begin), samples_.begin() + static_cast<ptrdiff_t>(end)};
}

uint64_t Memory::Most(size_t third) const {
  const std::vector<uint64_t> samples = Third(third);
  return samples.empty() ? 0 : *std::max_element(samples.begin(), samples.end());
}

uint64_t Memory::Median(size_t third) const {
  std::vector<uint64_t> samples = Third(third);
  if (samples.empty()) return 0;
  std::nth_element(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

bool Memory::grows() const { return Most(2) > Most(1) + allowance_; }

std::string Memory::Text() const {
  std::string text = "resident memory of the server, MiB, by thirds of the run:";
  for (size_t third = 0; third < 3; ++third) {
    absl::StrAppendFormat(&text, "%s median %.1f most %.1f", third == 0 ? "" : ";", Mebibytes(Median(third)),
                          Mebibytes(Most(third)));
  }
  absl::StrAppendFormat(&text, " (the last may exceed the second by %.1f)", Mebibytes(allowance_));
  return text;
}

}  // namespace aaren::soak
