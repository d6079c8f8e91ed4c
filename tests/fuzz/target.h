#ifndef AAREN_TESTS_FUZZ_TARGET_H_
#define AAREN_TESTS_FUZZ_TARGET_H_

// A Target gives any bytes to a parser of foreign bytes, and checks the parser's promises: to return, to read nothing
// beyond the bytes, and the promises in its own file. A broken promise ends the process.
//
// libFuzzer makes the bytes (fuzz.cc, built by the preset fuzz). In every other build fuzz_test uses the bytes in
// seeds/. Threading: single-threaded.

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace aaren::fuzz {

struct Target {
  const char* name;  // the seeds are in seeds/NAME/
  void (*run)(absl::string_view bytes);
};

absl::Span<const Target> Targets();

// Ends the process with the message `what` unless `holds`.
void Must(bool holds, absl::string_view what);

}  // namespace aaren::fuzz

#endif  // AAREN_TESTS_FUZZ_TARGET_H_
