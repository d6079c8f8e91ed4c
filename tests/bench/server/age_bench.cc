// A session's cost in memory and in time in its first second and after a million tokens.

#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "tests/bench/bench.h"
#include "tests/bench/server/driver.h"
#include "tests/bench/server/served.h"

namespace aaren::bench {
namespace {

constexpr uint64_t kTokens = 1'000'000;
constexpr absl::Duration kSpan = absl::Milliseconds(500);

// Both ends of a session's life, measured alike.
struct Age {
  uint64_t tokens;
  int64_t resident_bytes;
  double points_per_second;
};

absl::StatusOr<Age> Measure(Served& served, Driver& driver) {
  const absl::StatusOr<double> rate = driver.Run(kSpan);
  if (!rate.ok()) return rate.status();
  return Age{driver.points(), served.resident_bytes(), *rate};
}

Row ToRow(const Age& age, const Age& young, int64_t row_bytes) {
  return Row{{"tokens", static_cast<int64_t>(age.tokens)},
             {"state_bytes", row_bytes},
             {"server_resident_bytes", age.resident_bytes},
             {"points_per_second", age.points_per_second},
             {"time_over_young", young.points_per_second / age.points_per_second}};
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunAgeBench() {
  absl::StatusOr<std::unique_ptr<Served>> served = Served::Start("bundled");
  if (!served.ok()) return served.status();
  const DriverOptions options{.streams = 1, .sessions = 1, .points_per_message = 64, .window = 4, .name = "age"};
  absl::StatusOr<std::unique_ptr<Driver>> driver = Driver::Connect((*served)->target(), options);
  if (!driver.ok()) return driver.status();
  // The first messages of a server and of a connection take longer, at any age of the session.
  if (absl::Status warm = (*driver)->Run(kSpan).status(); !warm.ok()) return warm;
  absl::StatusOr<Age> young = Measure(**served, **driver);
  if (!young.ok()) return young.status();
  absl::StatusOr<Age> age = young;
  while (age.ok() && age->tokens < kTokens) age = Measure(**served, **driver);
  if (!age.ok()) return age.status();
  const int64_t row_bytes = (*served)->row_bytes();
  return std::vector<Row>{ToRow(*young, *young, row_bytes), ToRow(*age, *young, row_bytes)};
}

}  // namespace aaren::bench
