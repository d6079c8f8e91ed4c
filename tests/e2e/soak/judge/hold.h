#ifndef AAREN_TESTS_E2E_SOAK_JUDGE_HOLD_H_
#define AAREN_TESTS_E2E_SOAK_JUDGE_HOLD_H_

// A Hold is one handle of a stream, from an Open on: it foretells the server's answer to each item, in order, and
// judges the actual answers. Only a fence, caused by another client, may come at any time; after a fence nothing comes
// until the handle is opened again.
//
// Threading: guarded by its Conversation's mutex.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aaren/v1/stream.pb.h"
#include "tests/e2e/soak/world.h"

namespace aaren::soak {

class Hold;

// The opener of the handle. Called under the Conversation's mutex.
class Application {
 public:
  virtual ~Application() = default;
  virtual void OnOpened(Hold&, const v1::Opened&) {}
  virtual void OnAnswered(Hold&, uint64_t /*begin*/, uint64_t /*end*/) {}  // tokens, with forecasts of the right bits
  virtual void OnRefused(Hold&, int /*code*/) {}                           // the Open
  virtual void OnGone(Hold&, bool /*deleted*/) {}                          // fenced, closed
};

class Hold {
 public:
  enum class Phase { kOpening, kOpen, kRefused, kClosed };

  // REQUIRES: the model supports the Open's output options.
  Hold(World& world, std::string name, Application& application, const v1::Open& open);

  // Foretells the answer to an item about to be sent.
  void Send(const v1::Tokens& tokens);
  void Send(const v1::Close& close);

  void Judge(const v1::Opened& opened);
  void Judge(const v1::Forecasts& forecasts);
  void Judge(const v1::Acked& acked);
  void Judge(const v1::Closed& closed);
  void Judge(const v1::Failed& failed);

  // The stream has ended after everything sent on it was due an answer.
  void JudgeEnd();

  Phase phase() const { return phase_; }
  bool closing() const { return close_.has_value(); }
  bool live() const { return !closing() && (phase_ == Phase::kOpening || phase_ == Phase::kOpen); }
  const std::string& id() const { return open_.session_id(); }
  const v1::Open& open() const { return open_; }
  const std::shared_ptr<Life>& life() const { return life_; }
  const Series& series() const { return *life_->track->series(); }
  uint64_t epoch() const { return epoch_; }
  uint64_t expected() const { return expected_; }  // the server's next token, once it has everything sent
  uint64_t answered() const { return answered_; }
  uint64_t durable() const { return durable_; }
  uint64_t delivered() const { return delivered_; }
  bool refusing() const { return refusing_; }
  uint64_t waiting() const { return expected_ - answered_ + waiting_behind_; }

 private:
  // A due answer.
  struct Due {
    enum class What { kTokens, kAck, kFailed };
    What what;
    uint64_t end = 0;  // for kTokens
    bool silent = false;
    int code = 0;  // for kFailed
  };

  void Admit(const v1::Tokens& tokens);
  int Refusal(const v1::Tokens& tokens) const;
  bool TimesGoBack(const v1::Tokens& tokens) const;
  void JudgeRefusedOpen(const v1::Failed& failed);
  void JudgeTaken();
  bool JudgeForecast(const v1::Forecasts& forecasts, uint64_t seq, size_t result);
  bool JudgeTimes(const v1::Forecasts& forecasts, uint64_t seq, size_t result, size_t results);
  std::vector<float> Expected(uint64_t seq, const Window& window);
  void JudgeDurable(uint64_t durable);
  void Answered(uint64_t end);
  void Accuse(const std::string& what);

  World& world_;
  const std::string name_;
  Application& application_;
  const v1::Open open_;
  const Known before_;
  std::vector<size_t> picked_;  // the requested floats of a forecast
  Phase phase_ = Phase::kOpening;
  std::shared_ptr<Life> life_;
  uint64_t epoch_ = 0, expected_ = 0, answered_ = 0, durable_ = 0, delivered_ = 0;
  bool tracks_ = false, refusing_ = false;
  int64_t last_time_ = INT64_MIN;  // after expected_
  std::deque<v1::Tokens> behind_;  // sent behind the Open
  uint64_t waiting_behind_ = 0;    // tokens in behind_
  std::deque<Due> due_;
  std::optional<v1::Close> close_;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_JUDGE_HOLD_H_
