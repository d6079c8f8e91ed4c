#include "tests/bench/bench_size.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/numbers.h"

namespace aaren::bench {

int BenchSessions(int usual) {
  int sessions = usual;
  const char* given = std::getenv("AAREN_BENCH_SESSIONS");
  if (given == nullptr || !absl::SimpleAtoi(given, &sessions)) return usual;
  return std::max(sessions, 1);
}

absl::Duration BenchTurn(absl::Duration usual) {
  double seconds = 0;
  const char* given = std::getenv("AAREN_BENCH_SECONDS");
  if (given == nullptr || !absl::SimpleAtod(given, &seconds)) return usual;
  return absl::Seconds(std::max(seconds, 0.1));
}

}  // namespace aaren::bench
