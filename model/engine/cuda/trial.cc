#include "model/engine/cuda/trial.h"

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace aaren::engine {
namespace {

constexpr size_t kSessions = 16;
constexpr size_t kShares = kSessions * (kSessions + 1) / 2;  // shares of a batch: the n-th session has n shares
constexpr size_t kBatchParts[] = {16, 2, 1};                 // parts of the last batch's tokens

// Numbers of a linear congruential generator (Knuth's MMIX): the same on every machine.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  uint32_t Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33);
  }

 private:
  uint64_t state_;
};

// The tokens of one session in one round: a walk with a day, one value in sixteen missing, some forecasts not wanted.
struct Given {
  Given(size_t session, size_t tokens) {
    Numbers numbers(session * 1000003 + tokens);
    float level = static_cast<float>(session);
    for (size_t i = 0; i < tokens; ++i) {
      level += static_cast<float>(numbers.Next() % 1000) / 1000.0f - 0.5f;
      const bool missing = numbers.Next() % 16 == 0;
      values.push_back(missing ? std::numeric_limits<float>::quiet_NaN() : level + static_cast<float>(i % 24));
      forecast.push_back(numbers.Next() % 4 != 0);
    }
  }

  std::vector<float> values;
  std::vector<uint8_t> forecast;
};

// An engine with sessions of its own, and what came out of it last.
class Trial {
 public:
  explicit Trial(const Engine& engine) : engine_(engine), lane_(engine.NewLane(kSessions)), slots_(kSessions) {}

  absl::Status Begin() {
    if (absl::Status status = lane_->Allocate(absl::MakeSpan(slots_)); !status.ok()) return status;
    return lane_->Reset(slots_);
  }

  absl::Status Step(const std::vector<Given>& given) {
    forecasts.assign(kSessions, {});
    surprises.assign(kSessions, {});
    std::vector<Run> runs;
    for (size_t i = 0; i < kSessions; ++i) {
      forecasts[i].resize(given[i].values.size() * engine_.result_floats());
      surprises[i].resize(given[i].values.size());
      runs.push_back({slots_[i], given[i].values, given[i].forecast, forecasts[i].data(), surprises[i].data()});
    }
    const absl::StatusOr<Ticket> ticket = lane_->Submit(runs);
    return ticket.ok() ? lane_->Wait(*ticket) : ticket.status();
  }

  absl::Status ReadRows() {
    rows.assign(kSessions, std::vector<std::byte>(engine_.row_bytes()));
    std::vector<RowRead> reads;
    for (size_t i = 0; i < kSessions; ++i) reads.push_back({slots_[i], rows[i].data()});
    return lane_->Read(reads);
  }

  std::vector<std::vector<float>> forecasts, surprises;  // [sessions]
  std::vector<std::vector<std::byte>> rows;              // [sessions]

 private:
  const Engine& engine_;
  const std::unique_ptr<Lane> lane_;
  std::vector<Slot> slots_;
};

template <typename T>
absl::Status Compare(const char* what, const std::vector<std::vector<T>>& got,
                     const std::vector<std::vector<T>>& right) {
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].size() == right[i].size() &&
        // Bytes are compared and not numbers, because a missing forecast is NaN, and NaN equals nothing.
        std::memcmp(got[i].data(), right[i].data(), got[i].size() * sizeof(T)) == 0) {
      continue;
    }
    return absl::InternalError(absl::StrCat("the ", what, " of series ", i, " of a trial are not the right ones"));
  }
  return absl::OkStatus();
}

absl::Status TryBatch(size_t tokens, Trial& tried, Trial& right) {
  std::vector<Given> given;
  for (size_t i = 0; i < kSessions; ++i) given.emplace_back(i, 1 + tokens * (i + 1) / kShares);
  for (Trial* trial : {&tried, &right}) {
    if (absl::Status status = trial->Step(given); !status.ok()) return status;
    if (absl::Status status = trial->ReadRows(); !status.ok()) return status;
  }
  if (absl::Status status = Compare("forecasts", tried.forecasts, right.forecasts); !status.ok()) return status;
  if (absl::Status status = Compare("surprises", tried.surprises, right.surprises); !status.ok()) return status;
  return Compare("rows", tried.rows, right.rows);
}

}  // namespace

absl::Status TryOut(const Engine& engine, const Engine& right, size_t tokens) {
  if (engine.row_bytes() != right.row_bytes() || engine.result_floats() != right.result_floats()) {
    return absl::InternalError("the rows or results of a trial have another size than the right ones");
  }
  Trial tried(engine), judge(right);
  for (Trial* trial : {&tried, &judge}) {
    if (absl::Status status = trial->Begin(); !status.ok()) return status;
  }
  for (const size_t part : kBatchParts) {
    if (absl::Status status = TryBatch(tokens / part, tried, judge); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace aaren::engine
