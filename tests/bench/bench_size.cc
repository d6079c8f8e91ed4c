#include "tests/bench/bench_size.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/numbers.h"

namespace aaren::bench {

namespace {

int Number(const char* variable, int usual) {
  int number = usual;
  const char* given = std::getenv(variable);
  if (given == nullptr || !absl::SimpleAtoi(given, &number)) return usual;
  return std::max(number, 1);
}

}  // namespace

int BenchSessions(int usual) { return Number("AAREN_BENCH_SESSIONS", usual); }
int BenchTokens(int usual) { return Number("AAREN_BENCH_TOKENS", usual); }

absl::Duration BenchTurn(absl::Duration usual) {
  double seconds = 0;
  const char* given = std::getenv("AAREN_BENCH_SECONDS");
  if (given == nullptr || !absl::SimpleAtod(given, &seconds)) return usual;
  return absl::Seconds(std::max(seconds, 0.1));
}

}  // namespace aaren::bench
