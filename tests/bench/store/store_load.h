#ifndef AAREN_TESTS_BENCH_STORE_STORE_LOAD_H_
#define AAREN_TESTS_BENCH_STORE_STORE_LOAD_H_

// The load for every store and the store's roof: sessions with a row each are opened once, saved in batches and loaded
// in random order, in a few rounds. The best round counts. A refusal is quick, so one refused operation ends the bench.
//
// Threading: one thread calls; the store answers on any thread.

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/store/store.h"
#include "tests/bench/bench.h"

namespace aaren::bench {

constexpr int kRounds = 3;
constexpr int kBatch = 512;  // sessions of a save; loads under way at once

double SecondsOf(const std::function<void()>& work);

std::string KeyOf(int session);
store::SessionHeader HeaderOf(int session);

// 8,192 incompressible bytes, new each time.
std::string RandomRows(std::mt19937_64& random);

// The numbers of all sessions, in random order.
std::vector<int> Shuffled(std::mt19937_64& random);

// The time of a piece of work in the best round.
struct Timing {
  double seconds = 1e9;
  double p99_us = 0;
  void Add(double took, double p99);
};

// The timings of a store or a roof.
struct Timings {
  Timing acquire, save, load;
};

// A store under the load.
class Entrant {
 public:
  // Both arguments outlive the entrant.
  Entrant(store::StateStore& store, const std::vector<int>& order) : store_(store), order_(order) {}

  // The first error of the store, once all is answered.
  absl::Status Acquire();
  absl::Status Save(std::mt19937_64& random);
  absl::Status Load();

  const Timings& timings() const { return timings_; }

 private:
  store::StateStore& store_;
  const std::vector<int>& order_;
  Timings timings_;
};

// The rounds of a store and, in turn, of its roof, which has the entrant's Save and Load. Internal, with the first
// error.
template <typename Roof>
absl::Status RunRounds(Entrant& entrant, Roof& roof, std::mt19937_64& random) {
  absl::Status status = entrant.Acquire();
  for (int round = 0; round < kRounds && status.ok(); ++round) {
    for (const absl::Status& one : {entrant.Save(random), roof.Save(random), entrant.Load(), roof.Load()}) {
      status.Update(one);
    }
  }
  return status.ok() ? status : absl::InternalError(absl::StrCat("an operation was refused: ", status.ToString()));
}

// The rows of a store: acquire, save, load. `roof` may be null, and acquires nothing. `bytes` a session belong to the
// save.
std::vector<Row> StoreRows(const std::string& store, size_t sessions, const Timings& timings, const Timings* roof,
                           const Cell& bytes);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_STORE_STORE_LOAD_H_
