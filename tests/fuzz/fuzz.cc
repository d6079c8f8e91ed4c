// libFuzzer's program: fuzz --target=NAME [libFuzzer's flags] [folders of inputs].

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "tests/fuzz/target.h"

namespace {

void (*run)(absl::string_view bytes) = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  absl::string_view name = *argc > 1 ? (*argv)[1] : "";
  if (absl::ConsumePrefix(&name, "--target=")) {
    for (const aaren::fuzz::Target& target : aaren::fuzz::Targets()) {
      if (target.name == name) run = target.run;
    }
  }
  if (run != nullptr) return 0;
  std::fputs("fuzz --target=NAME [flags of libFuzzer] [folders]; NAME is one of\n", stderr);
  for (const aaren::fuzz::Target& target : aaren::fuzz::Targets()) std::fprintf(stderr, "  %s\n", target.name);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  run(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
