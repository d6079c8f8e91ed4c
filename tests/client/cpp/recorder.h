#ifndef AAREN_TESTS_CLIENT_CPP_RECORDER_H_
#define AAREN_TESTS_CLIENT_CPP_RECORDER_H_

// A Recorder is a listener that records everything, and Feed an application that sends tokens of a fixed series and
// goes back when asked to. The series is Value(seq); a FakeServer's forecast of token s is then SumTo(s).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/client.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace aaren::client {

inline float Value(uint64_t seq) { return static_cast<float>(seq % 7 + 1); }

inline float SumTo(uint64_t seq) {
  double sum = 0;
  for (uint64_t i = 0; i <= seq; ++i) sum += Value(i);
  return static_cast<float>(sum);
}

class Recorder : public Listener {
 public:
  void OnOpened(Session&, const Opened& opened) override {
    absl::MutexLock lock(&mutex_);
    opened_.push_back(opened);
  }
  void OnForecast(Session&, const Forecast& forecast) override {
    absl::MutexLock lock(&mutex_);
    seqs_.push_back(forecast.seq);
    sums_.push_back(forecast.values[0]);
    last_ = forecast.values.back();
    time_ns_ = forecast.time_ns;
    steps_ns_.push_back(forecast.step_ns);
  }
  bool OnRewind(Session&, uint64_t seq) override {
    absl::MutexLock lock(&mutex_);
    rewinds_.push_back(seq);
    return rewindable;
  }
  void OnLost(Session&, const Loss& loss) override {
    absl::MutexLock lock(&mutex_);
    losses_.push_back(loss);
  }
  void OnWaiting(Session&, const absl::Status&, absl::Duration retry) override {
    absl::MutexLock lock(&mutex_);
    waits_.push_back(retry);
  }
  void OnDisconnected(Session&, const absl::Status&) override {
    absl::MutexLock lock(&mutex_);
    ++disconnects_;
  }
  void OnEnded(Session&, const absl::Status& status) override {
    absl::MutexLock lock(&mutex_);
    ended_.push_back(status);
  }

  std::vector<uint64_t> seqs() const { return Read(seqs_); }
  std::vector<float> sums() const { return Read(sums_); }
  std::vector<uint64_t> rewinds() const { return Read(rewinds_); }
  std::vector<Loss> losses() const { return Read(losses_); }
  std::vector<absl::Duration> waits() const { return Read(waits_); }
  std::vector<absl::Status> ended() const { return Read(ended_); }
  std::vector<Opened> opened() const { return Read(opened_); }
  float last() const { return Read(last_); }  // the last number of the last forecast
  int disconnects() const { return Read(disconnects_); }
  std::optional<int64_t> time_ns() const { return Read(time_ns_); }
  std::vector<int64_t> steps_ns() const { return Read(steps_ns_); }

  // Waits until the session has ended and says how.
  absl::Status AwaitEnd() const {
    const auto ended = [this]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return !ended_.empty(); };
    absl::MutexLock lock(&mutex_, absl::Condition(&ended));
    return ended_.front();
  }

  bool rewindable = false;  // set before the session is opened

 private:
  template <typename T>
  T Read(const T& member) const {
    absl::MutexLock lock(&mutex_);
    return member;
  }

  mutable absl::Mutex mutex_;
  std::vector<uint64_t> seqs_;
  std::vector<float> sums_;
  float last_ = 0;
  std::vector<uint64_t> rewinds_;
  std::vector<Loss> losses_;
  std::vector<absl::Status> ended_;
  std::vector<Opened> opened_;
  std::optional<int64_t> time_ns_;
  std::vector<int64_t> steps_ns_;
  std::vector<absl::Duration> waits_;
  int disconnects_ = 0;
};

// Sends tokens up to `end`, `batch` at a time, and waits for their forecasts; goes back where the session rewinds.
inline absl::Status Feed(Session& session, uint64_t end, size_t batch = 1) {
  for (uint64_t seq = session.next_seq();;) {
    absl::Status status;
    if (seq < end) {
      std::vector<float> values;
      for (uint64_t i = seq; i < std::min(end, seq + batch); ++i) values.push_back(Value(i));
      status = session.Send(seq, {.values = values});
      if (status.ok()) seq += values.size();
    } else {
      status = session.Flush();
      if (status.ok()) return status;
    }
    if (absl::IsOutOfRange(status)) {
      seq = session.next_seq();
    } else if (!status.ok()) {
      return status;
    }
  }
}

// Sends a token a message: each is answered before the next is sent.
inline absl::Status FeedOneByOne(Session& session, uint64_t end) {
  for (uint64_t seq = session.next_seq(); seq < end; ++seq) {
    const float value = Value(seq);
    absl::Status status = session.Send(seq, {.values = {&value, 1}});
    if (status.ok()) status = session.Flush();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Feeds until a rewind during Close is over, too.
inline absl::Status FeedAndClose(Session& session, uint64_t end, size_t batch = 1) {
  absl::Status status;
  do {
    status = Feed(session, end, batch);
    if (status.ok()) status = session.Close();
  } while (absl::IsOutOfRange(status));
  return status;
}

// The seqs that a Recorder must have heard for tokens begin .. end - 1: each once, in order, with nothing folded twice.
inline std::vector<uint64_t> Seqs(uint64_t begin, uint64_t end, uint64_t every = 1) {
  std::vector<uint64_t> seqs;
  for (uint64_t seq = begin; seq < end; seq += every) seqs.push_back(seq);
  return seqs;
}
inline std::vector<float> Sums(uint64_t begin, uint64_t end, uint64_t every = 1) {
  std::vector<float> sums;
  for (uint64_t seq = begin; seq < end; seq += every) sums.push_back(SumTo(seq));
  return sums;
}

// Reconnects at once.
inline ClientOptions FastOptions(const std::string& target) {
  ClientOptions options{.target = target};
  options.backoff = {.initial = absl::Milliseconds(1), .max = absl::Milliseconds(20)};
  return options;
}

}  // namespace aaren::client

#endif  // AAREN_TESTS_CLIENT_CPP_RECORDER_H_
