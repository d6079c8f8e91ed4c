#ifndef AAREN_TESTS_FUZZ_TARGET_H_
#define AAREN_TESTS_FUZZ_TARGET_H_

// A Target gives any bytes to one parser of bytes that come from outside, and looks whether what it promises holds:
// that it returns, that it reads nothing but them, and what its own file says. A broken promise ends the process.
//
// libFuzzer makes the bytes (fuzz.cc, built by the preset fuzz). In every other build fuzz_test gives them those of
// seeds/. Threading: one thread.

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace aaren::fuzz {

struct Target {
  const char* name;  // its seeds are in seeds/NAME/
  void (*run)(absl::string_view bytes);
};

absl::Span<const Target> Targets();

// Ends the process with these words unless `holds`.
void Must(bool holds, absl::string_view what);

}  // namespace aaren::fuzz

#endif  // AAREN_TESTS_FUZZ_TARGET_H_
