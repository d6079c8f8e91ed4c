#ifndef AAREN_TESTS_E2E_SOAK_CLIENTS_CONVERSATION_H_
#define AAREN_TESTS_E2E_SOAK_CLIENTS_CONVERSATION_H_

// A Conversation is one stream on a connection of its own. One thread sends items. A second thread reads, judges, and
// now and then pauses. The Hold of a handle judges every item of the handle.
//
// Threading: one thread speaks; Holds are guarded by mutex(), which the reader takes for each message.

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "aaren/v1/stream.grpc.pb.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "tests/e2e/soak/connection.h"
#include "tests/e2e/soak/judge/hold.h"

namespace aaren::soak {

class Conversation {
 public:
  // Null without a server. Says Hello.
  static std::unique_ptr<Conversation> Begin(World& world, const std::string& name);

  // Cancels the call unless ended, and waits for the reader.
  ~Conversation();

  absl::Mutex& mutex() ABSL_LOCK_RETURNED(mutex_) { return mutex_; }
  const std::string& name() const { return name_; }

  // True while more may be said.
  bool speaking() const { return !ended_ && !silent_; }
  bool ended() const { return ended_; }

  // The handle is not in use.
  Hold& Open(v1::Open open, Application& application, v1::ClientMessage& message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint32_t FreeHandle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Items of a handle never opened: each must be refused with NOT_FOUND.
  uint32_t AbsentHandle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ++absent_; }  // used nowhere else
  void Stray(uint32_t handle) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { ++strays_[handle]; }

  // Opens to be refused with the code, by number.
  void Doomed(uint64_t number, int code) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { doomed_[number] = code; }

  std::map<uint32_t, std::unique_ptr<Hold>>& holds() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return holds_; }
  uint64_t waiting() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Sends the message noted by the Holds. Not under the mutex: Say may block until the reader reads.
  void Say(const v1::ClientMessage& message) ABSL_LOCKS_EXCLUDED(mutex_);

  void HalfClose();
  void Cancel();
  void Cut();
  void Pause(absl::Duration time) { pause_ms_ = absl::ToInt64Milliseconds(time); }

 private:
  Conversation(World& world, std::string name, std::unique_ptr<Connection> connection);

  void Read();
  void Judge(const v1::ServerItem& item) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void JudgeFailed(const v1::Failed& failed) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void JudgeEnd(const grpc::Status& status);
  template <typename Item>
  void ToHold(const Item& item) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  World& world_;
  const std::string name_;
  const std::unique_ptr<Connection> connection_;
  grpc::ClientContext context_;
  std::unique_ptr<v1::Streaming::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientMessage, v1::ServerMessage>> call_;
  std::atomic<bool> ended_{false}, silent_{false}, broken_off_{false}, half_closed_{false};
  std::atomic<int64_t> pause_ms_{0};
  absl::Duration longest_without_reading_;  // the reader's
  absl::Mutex mutex_;
  bool welcome_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<uint32_t, std::unique_ptr<Hold>> holds_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Hold>> past_ ABSL_GUARDED_BY(mutex_);  // handles that were opened again
  uint32_t absent_ ABSL_GUARDED_BY(mutex_) = 1'000'000;
  std::map<uint32_t, int> strays_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, int> doomed_ ABSL_GUARDED_BY(mutex_);
  uint64_t opens_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread reader_;
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_CLIENTS_CONVERSATION_H_
