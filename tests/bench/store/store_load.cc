#include "tests/bench/store/store_load.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "tests/bench/bench_size.h"

namespace aaren::bench {
namespace {

constexpr size_t kRowBytes = 8192;

using Seconds = std::chrono::duration<double>;

// Counts calls under way and how long each took, and keeps the first error.
class Window {
 public:
  explicit Window(int most) : most_(most) {}

  // Waits for room; the caller calls the result at the answer, with the answer's status.
  std::function<void(const absl::Status&)> Begin() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](Window* self) { return self->under_way_ < self->most_; }, this));
    ++under_way_;
    return [this, start = std::chrono::steady_clock::now()](const absl::Status& status) {
      absl::MutexLock done(&mutex_);
      --under_way_;
      status_.Update(status);
      seconds_.push_back(Seconds(std::chrono::steady_clock::now() - start).count());
    };
  }

  absl::Status Wait() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](Window* self) { return self->under_way_ == 0; }, this));
    return status_;
  }

  double P99Micros() {
    absl::MutexLock lock(&mutex_);
    std::sort(seconds_.begin(), seconds_.end());
    return seconds_.empty() ? 0 : seconds_[seconds_.size() * 99 / 100] * 1e6;
  }

 private:
  const int most_;
  absl::Mutex mutex_;
  int under_way_ = 0;
  absl::Status status_;
  std::vector<double> seconds_;
};

absl::Status FirstError(const std::vector<store::WriteResult>& results) {
  absl::Status first;
  for (const store::WriteResult& result : results) first.Update(result.status);
  return first;
}

Row RowOf(const std::string& store, const char* operation, size_t sessions, const Timing& timing, const Timing* roof) {
  const auto rate = [sessions](const Timing& one) { return static_cast<double>(sessions) / one.seconds; };
  return {{"store", store},
          {"operation", std::string(operation)},
          {"sessions", static_cast<int64_t>(sessions)},
          {"per_second", rate(timing)},
          {"p99_us", timing.p99_us},
          {"bare_per_second", roof != nullptr ? Cell(rate(*roof)) : Cell(std::monostate())},
          {"ratio", roof != nullptr ? Cell(rate(timing) / rate(*roof)) : Cell(std::monostate())},
          {"bytes_per_session", std::monostate()}};
}

}  // namespace

double SecondsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

std::string KeyOf(int session) { return absl::StrCat("default/session-", session); }

store::SessionHeader HeaderOf(int session) {
  store::SessionHeader header;
  header.key = KeyOf(session);
  header.epoch = header.incarnation = 1;
  header.origin = {"aaren-univariate:1", std::string(64, 'f'), "exact", 1, 1};
  return header;
}

std::string RandomRows(std::mt19937_64& random) {
  std::string rows(kRowBytes, '\0');
  for (size_t i = 0; i + 8 <= rows.size(); i += 8) {
    const uint64_t bits = random();
    std::copy_n(reinterpret_cast<const char*>(&bits), 8, rows.begin() + static_cast<ptrdiff_t>(i));
  }
  return rows;
}

std::vector<int> Shuffled(std::mt19937_64& random) {
  std::vector<int> order(static_cast<size_t>(BenchSessions(20'000)));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

void Timing::Add(double took, double p99) {
  if (took >= seconds) return;
  seconds = took;
  p99_us = p99;
}

absl::Status Entrant::Acquire() {
  Window window(kBatch);
  absl::Status status;
  const double seconds = SecondsOf([&] {
    for (const int session : order_) {
      store::Acquisition acquisition;
      static_cast<store::SessionHeader&>(acquisition.record) = HeaderOf(session);
      store_.Acquire(std::move(acquisition),
                     [done = window.Begin()](const store::WriteResult& result) { done(result.status); });
    }
    status = window.Wait();
  });
  timings_.acquire.Add(seconds, window.P99Micros());
  return status;
}

absl::Status Entrant::Save(std::mt19937_64& random) {
  std::deque<std::vector<store::SaveWrite>> batches;
  for (const int session : order_) {
    if (batches.empty() || batches.back().size() == kBatch) batches.emplace_back();
    batches.back().push_back({HeaderOf(session), {{1, {}}, RandomRows(random)}, std::nullopt});
  }
  Window window(8);
  absl::Status status;
  const double seconds = SecondsOf([&] {
    for (auto& batch : batches) {
      store_.Save(std::move(batch), [done = window.Begin()](const std::vector<store::WriteResult>& results) {
        done(FirstError(results));
      });
    }
    status = window.Wait();
  });
  timings_.save.Add(seconds, window.P99Micros());
  return status;
}

absl::Status Entrant::Load() {
  Window window(kBatch);
  absl::Status status;
  const double seconds = SecondsOf([&] {
    for (const int session : order_) {
      store_.Load(KeyOf(session), [done = window.Begin()](const absl::StatusOr<store::SessionRecord>& record) {
        done(record.status());
      });
    }
    status = window.Wait();
  });
  timings_.load.Add(seconds, window.P99Micros());
  return status;
}

std::vector<Row> StoreRows(const std::string& store, size_t sessions, const Timings& timings, const Timings* roof,
                           const Cell& bytes) {
  std::vector<Row> rows = {RowOf(store, "acquire", sessions, timings.acquire, nullptr),
                           RowOf(store, "save", sessions, timings.save, roof != nullptr ? &roof->save : nullptr),
                           RowOf(store, "load", sessions, timings.load, roof != nullptr ? &roof->load : nullptr)};
  rows[1].back().second = bytes;
  return rows;
}

}  // namespace aaren::bench
