#include "tests/bench/engine/gpu_roof.h"

#include <algorithm>
#include <array>
#include <set>

namespace aaren::bench {
namespace {

constexpr size_t kWarp = 32, kSchedulers = 4;
constexpr uint64_t kSector = 32, kLine = 128, kBank = 4;

// Instructions of one correctly rounded division without subnormal numbers, as compilers write the division.
constexpr double kDivision = 8, kDoubleDivision = 12;

// Cycles that nothing hides. Assumed, by Hopper's order of magnitude.
constexpr double kBarrier = 30, kSharedWait = 30, kL2Wait = 250;

using Threads = std::vector<ThreadCounts>;

uint64_t Instructions(const ThreadCounts& of) { return of.shared.size() + of.constants.size() + of.memory.size(); }

double FloatWork(const ThreadCounts& of) {
  return static_cast<double>(of.multiply_adds + of.others) + kDivision * static_cast<double>(of.divisions);
}

double DoubleWork(const ThreadCounts& of) {
  return static_cast<double>(of.doubles) + kDoubleDivision * static_cast<double>(of.double_divisions);
}

double AllWork(const ThreadCounts& of) {
  return FloatWork(of) + DoubleWork(of) + static_cast<double>(Instructions(of));
}

// The most work of any thread of the warp that begins at `first`.
template <class Work>
double MostOfWarp(const Threads& threads, size_t first, Work work) {
  double most = 0;
  for (size_t i = first; i < std::min(first + kWarp, threads.size()); ++i) most = std::max(most, work(threads[i]));
  return most;
}

template <class Work>
double SumOverWarps(const Threads& threads, Work work) {
  double sum = 0;
  for (size_t first = 0; first < threads.size(); first += kWarp) sum += MostOfWarp(threads, first, work);
  return sum;
}

// The units that an access touches.
void AddUnits(const Access& access, uint64_t unit, std::set<uint64_t>& units) {
  for (uint64_t at = access.at / unit; at * unit < access.at + access.bytes; ++at) units.insert(at);
}

using Accesses = std::vector<Access> ThreadCounts::*;

// Calls some(units) for each access that a warp makes in step, with the distinct units of the access.
template <class Some>
void ForEachOfWarp(const Threads& threads, size_t first, Accesses accesses, uint64_t unit, const Some& some) {
  const size_t end = std::min(first + kWarp, threads.size());
  size_t most = 0;
  for (size_t i = first; i < end; ++i) most = std::max(most, (threads[i].*accesses).size());
  for (size_t number = 0; number < most; ++number) {
    std::set<uint64_t> units;
    for (size_t i = first; i < end; ++i) {
      if (number < (threads[i].*accesses).size()) AddUnits((threads[i].*accesses)[number], unit, units);
    }
    some(units);
  }
}

// A bank answers one word a cycle, to all threads that ask for the word.
double BankCycles(const std::set<uint64_t>& words) {
  std::array<int, 32> banks = {};
  for (uint64_t word : words) ++banks[word % banks.size()];
  return *std::max_element(banks.begin(), banks.end());
}

// Cycles of shared memory, and of the first cache, which is the same memory.
double SharedCycles(const Threads& threads) {
  double cycles = 0;
  for (size_t first = 0; first < threads.size(); first += kWarp) {
    ForEachOfWarp(threads, first, &ThreadCounts::shared, kBank,
                  [&](const auto& words) { cycles += BankCycles(words); });
    for (Accesses accesses : {&ThreadCounts::constants, &ThreadCounts::memory}) {
      ForEachOfWarp(threads, first, accesses, kLine,
                    [&](const auto& lines) { cycles += static_cast<double>(lines.size()); });
    }
  }
  return cycles;
}

// Different bytes of the device's memory, in whole sectors.
int64_t SectorBytes(const Threads& threads, Accesses accesses) {
  std::set<uint64_t> sectors;
  for (const ThreadCounts& thread : threads) {
    for (const Access& access : thread.*accesses) AddUnits(access, kSector, sectors);
  }
  return static_cast<int64_t>(sectors.size() * kSector);
}

// Warps are dealt out to the schedulers in turn, each of which issues an instruction a cycle.
double IssueCycles(const Threads& threads) {
  std::array<double, kSchedulers> schedulers = {};
  for (size_t first = 0; first < threads.size(); first += kWarp) {
    schedulers[first / kWarp % kSchedulers] += MostOfWarp(threads, first, AllWork);
  }
  return *std::max_element(schedulers.begin(), schedulers.end());
}

}  // namespace

// Published: processors, clocks, lanes, memory. Assumed: the second cache's bytes to each of all processors.
const std::vector<Gpu>& Gpus() {
  static const std::vector<Gpu>& gpus =
      *new std::vector<Gpu>{{"A100", "sm_80", 108, 1.41, 64, 32, 40, 1555 / 108.0 / 1.41, 163 << 10},
                            {"H100", "sm_90a", 132, 1.98, 128, 64, 24, 3350 / 132.0 / 1.98, 227 << 10},
                            {"H200", "sm_90a", 132, 1.98, 128, 64, 24, 4800 / 132.0 / 1.98, 227 << 10},
                            {"RTX 5090", "sm_120", 170, 2.41, 128, 2, 24, 1792 / 170.0 / 2.41, 99 << 10}};
  return gpus;
}

Cycles CyclesOf(const BlockCounts& counts, const Gpu& gpu) {
  Cycles sum;
  for (const Threads& threads : counts) {
    const int64_t constants = SectorBytes(threads, &ThreadCounts::constants);
    const int64_t memory = SectorBytes(threads, &ThreadCounts::memory);
    const Cycles one = {.issue = IssueCycles(threads),
                        .floats = SumOverWarps(threads, FloatWork) * kWarp / gpu.float_lanes,
                        .doubles = SumOverWarps(threads, DoubleWork) * kWarp / gpu.double_lanes,
                        .shared = SharedCycles(threads),
                        .l2 = static_cast<double>(constants + memory) / gpu.l2_bytes,
                        .memory = static_cast<double>(memory) / gpu.memory_bytes,
                        .waits = kBarrier + (constants + memory > 0 ? kL2Wait : kSharedWait)};
    sum.issue += one.issue;
    sum.floats += one.floats;
    sum.doubles += one.doubles;
    sum.shared += one.shared;
    sum.l2 += one.l2;
    sum.memory += one.memory;
    sum.waits += one.waits;
    sum.all += std::max({one.issue, one.floats, one.doubles, one.shared, one.l2, one.memory}) + one.waits;
  }
  return sum;
}

Totals TotalsOf(const BlockCounts& counts) {
  Totals totals;
  for (const Threads& threads : counts) {
    for (const ThreadCounts& thread : threads) {
      totals.multiply_adds += static_cast<int64_t>(thread.multiply_adds);
      totals.others += static_cast<int64_t>(thread.others);
      totals.divisions += static_cast<int64_t>(thread.divisions);
      totals.doubles += static_cast<int64_t>(thread.doubles);
      totals.double_divisions += static_cast<int64_t>(thread.double_divisions);
    }
    totals.constant_bytes += SectorBytes(threads, &ThreadCounts::constants);
    totals.memory_bytes += SectorBytes(threads, &ThreadCounts::memory);
  }
  return totals;
}

}  // namespace aaren::bench
