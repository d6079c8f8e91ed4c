#include "client/python/module/batch.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "client/python/module/model.h"

namespace aaren::python {
namespace {

constexpr size_t kTile = 64;  // tokens that go through the network together

absl::Status CheckValues(const Part& part, const Arrays& arrays, size_t index, size_t parts) {
  if (arrays.events != nullptr) return absl::OkStatus();  // times and marks are never infinite
  for (size_t i = part.begin * arrays.channels; i < part.end * arrays.channels; ++i) {
    // A finite double may be infinite as a float.
    if (!std::isinf(static_cast<float>(arrays.values[i]))) continue;
    const std::string series = parts == 1 ? "" : absl::StrCat("series ", index, ", ");
    return absl::InvalidArgumentError(absl::StrCat(series, "row ", i / arrays.channels - part.begin, ", channel ",
                                                   i % arrays.channels, ": ", arrays.values[i],
                                                   " is no 32-bit float; NaN marks a missing value"));
  }
  return absl::OkStatus();
}

// Sessions with long runs come in small groups: each run fills tiles alone, and the workers end together.
size_t GroupSize(absl::Span<const Part> parts, size_t workers, size_t channels) {
  size_t tokens = 0;
  for (const Part& part : parts) tokens += part.end - part.begin;
  const size_t full = std::max<size_t>(1, kTile / channels);
  if (tokens / parts.size() < kTile) return full;
  // Four groups for each worker: a worker with a long group does not keep the rest waiting for long.
  return std::clamp<size_t>(parts.size() / (4 * workers), 1, full);
}

// State that the workers of a batch share.
class Shared {
 public:
  Shared(absl::Span<const Part> parts, const Arrays& arrays, size_t workers)
      : parts_(parts), arrays_(arrays), group_(GroupSize(parts, workers, arrays.channels)) {}

  // Takes groups until there are none, or one failed.
  void Work(Worker& worker, absl::FunctionRef<bool()> interrupted) {
    const auto stopped = [&] {
      if (interrupted()) Fail(absl::CancelledError("interrupted"));
      return stop_.load(std::memory_order_relaxed);
    };
    for (size_t first = next_.fetch_add(group_); first < parts_.size() && !stopped(); first = next_.fetch_add(group_)) {
      const absl::Status status = worker.Run(parts_.subspan(first, group_), arrays_, stopped);
      if (!status.ok()) Fail(status);
    }
  }

  absl::Status status() {
    std::lock_guard<std::mutex> lock(mutex_);
    return status_;
  }

 private:
  void Fail(const absl::Status& status) {
    std::lock_guard<std::mutex> lock(mutex_);
    status_.Update(status);
    stop_ = true;
  }

  const absl::Span<const Part> parts_;
  const Arrays& arrays_;
  const size_t group_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  absl::Status status_;  // guarded by mutex_
};

// In order of address, so that two batches with the same sessions never wait for one another.
std::vector<std::unique_lock<std::mutex>> Lock(absl::Span<const Part> parts) {
  std::vector<Rows*> rows;
  for (const Part& part : parts) rows.push_back(part.rows);
  std::sort(rows.begin(), rows.end());
  std::vector<std::unique_lock<std::mutex>> locks;
  for (Rows* const row : rows) locks.emplace_back(row->mutex);
  return locks;
}

}  // namespace

absl::Status CheckBatch(absl::Span<const Part> parts, const Arrays& arrays) {
  std::vector<std::pair<const Rows*, size_t>> seen;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (absl::Status status = CheckValues(parts[i], arrays, i, parts.size()); !status.ok()) return status;
    seen.emplace_back(parts[i].rows, i);
  }
  // The sessions of a batch have no order, so each may come once.
  std::sort(seen.begin(), seen.end());
  const auto twice =
      std::adjacent_find(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == seen.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("series ", twice->second, " and ", (twice + 1)->second, " are one session"));
}

absl::Status RunBatch(absl::Span<const Part> parts, const Arrays& arrays,
                      absl::Span<const std::unique_ptr<Worker>> workers, absl::FunctionRef<bool()> interrupted) {
  if (parts.empty()) return absl::OkStatus();
  const auto locks = Lock(parts);
  Shared shared(parts, arrays, workers.size());
  std::vector<std::thread> threads;
  // This thread is the first worker, and the only thread that asks about signals.
  for (size_t i = 1; i < workers.size(); ++i) {
    try {
      threads.emplace_back([&shared, worker = workers[i].get()] { shared.Work(*worker, [] { return false; }); });
    } catch (const std::system_error&) {
      break;  // fewer threads do the same work
    }
  }
  shared.Work(*workers[0], interrupted);
  for (std::thread& thread : threads) thread.join();
  return shared.status();
}

}  // namespace aaren::python
