#ifndef AAREN_TESTS_BENCH_STORE_STORE_LOAD_H_
#define AAREN_TESTS_BENCH_STORE_STORE_LOAD_H_

// The load for every store and the store's roof: sessions with a row each are opened once, saved in batches and loaded
// in random order, in a few rounds. The best round counts.
//
// Threading: one thread calls; the store answers on any thread.

#include <functional>
#include <random>
#include <string>
#include <vector>

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

  void Acquire();
  void Save(std::mt19937_64& random);
  void Load();

  const Timings& timings() const { return timings_; }

 private:
  store::StateStore& store_;
  const std::vector<int>& order_;
  Timings timings_;
};

// The rows of a store: acquire, save, load. `roof` may be null, and acquires nothing. `bytes` a session belong to the
// save.
std::vector<Row> StoreRows(const std::string& store, size_t sessions, const Timings& timings, const Timings* roof,
                           const Cell& bytes);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_STORE_STORE_LOAD_H_
