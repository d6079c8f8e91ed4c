// Shows ThreadSanitizer the locks of Abseil.
//
// The distribution's Abseil is not instrumented: to the sanitizer, two threads taking turns by an absl::Mutex are in a
// race. A program of the preset "tsan" therefore has the functions below in front of the library's: each calls the
// library's and tells the order, "release" before other threads may go on and "acquire" after a wait for other threads.
// gRPC's locks are Abseil's too and call the same functions, since a dynamic linker takes a program's own functions
// first.
//
// A lock evaluates the conditions of waiting threads inside Unlock, while the lock is still held but released in the
// sanitizer's eyes; hence reads by the library during a call are not judged.

#include <sanitizer/tsan_interface.h>

#include <string>

#include "absl/base/config.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "tests/tsan/next_symbol.h"

extern "C" void AnnotateIgnoreReadsBegin(const char* file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char* file, int line);

#define AAREN_STRING_OF(name) AAREN_STRING(name)
#define AAREN_STRING(name) #name

namespace {

class Unjudged {
 public:
  Unjudged() { AnnotateIgnoreReadsBegin(__FILE__, __LINE__); }
  ~Unjudged() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
};

// `name` as the compiler writes it behind the versioned namespace.
template <typename Function>
Function InAbseil(const std::string& name, const std::string& prefix = "_ZN") {
  const std::string version = AAREN_STRING_OF(ABSL_OPTION_INLINE_NAMESPACE_NAME);
  return aaren::NextSymbol<Function>(prefix + "4absl" + std::to_string(version.size()) + version + name);
}

// Calls `real`, which may give `lock` to further threads and returns with the lock.
template <typename Function, typename... Arguments>
auto Exchange(void* lock, Function real, Arguments... arguments) {
  struct Acquire {
    void* lock;
    ~Acquire() { __tsan_acquire(lock); }
  } at_end{lock};
  __tsan_release(lock);
  Unjudged unjudged;
  return real(arguments...);
}

template <typename Function, typename... Arguments>
void Take(void* lock, Function real, Arguments... arguments) {
  {
    Unjudged unjudged;
    real(arguments...);
  }
  __tsan_acquire(lock);
}

template <typename Function, typename... Arguments>
void Give(void* lock, Function real, Arguments... arguments) {
  __tsan_release(lock);
  Unjudged unjudged;
  real(arguments...);
}

}  // namespace

namespace absl {
ABSL_NAMESPACE_BEGIN

void Mutex::Lock() {
  static const auto real = InAbseil<void (*)(Mutex*)>("5Mutex4LockEv");
  Take(this, real, this);
}

void Mutex::ReaderLock() {
  static const auto real = InAbseil<void (*)(Mutex*)>("5Mutex10ReaderLockEv");
  Take(this, real, this);
}

bool Mutex::TryLock() {
  static const auto real = InAbseil<bool (*)(Mutex*)>("5Mutex7TryLockEv");
  if (!real(this)) return false;
  __tsan_acquire(this);
  return true;
}

void Mutex::Unlock() {
  static const auto real = InAbseil<void (*)(Mutex*)>("5Mutex6UnlockEv");
  Give(this, real, this);
}

void Mutex::ReaderUnlock() {
  static const auto real = InAbseil<void (*)(Mutex*)>("5Mutex12ReaderUnlockEv");
  Give(this, real, this);
}

void Mutex::LockWhen(const Condition& condition) {
  static const auto real = InAbseil<void (*)(Mutex*, const Condition*)>("5Mutex8LockWhenERKNS0_9ConditionE");
  Take(this, real, this, &condition);
}

bool Mutex::LockWhenWithDeadline(const Condition& condition, absl::Time deadline) {
  static const auto real = InAbseil<bool (*)(Mutex*, const Condition*, absl::Time)>(
      "5Mutex20LockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE");
  return Exchange(this, real, this, &condition, deadline);
}

void Mutex::Await(const Condition& condition) {
  static const auto real = InAbseil<void (*)(Mutex*, const Condition*)>("5Mutex5AwaitERKNS0_9ConditionE");
  Exchange(this, real, this, &condition);
}

bool Mutex::AwaitWithTimeout(const Condition& condition, absl::Duration timeout) {
  static const auto real = InAbseil<bool (*)(Mutex*, const Condition*, absl::Duration)>(
      "5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE");
  return Exchange(this, real, this, &condition, timeout);
}

bool Mutex::AwaitWithDeadline(const Condition& condition, absl::Time deadline) {
  static const auto real =
      InAbseil<bool (*)(Mutex*, const Condition*, absl::Time)>("5Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE");
  return Exchange(this, real, this, &condition, deadline);
}

void CondVar::Wait(Mutex* mutex) {
  static const auto real = InAbseil<void (*)(CondVar*, Mutex*)>("7CondVar4WaitEPNS0_5MutexE");
  Exchange(mutex, real, this, mutex);
}

bool CondVar::WaitWithDeadline(Mutex* mutex, absl::Time deadline) {
  static const auto real =
      InAbseil<bool (*)(CondVar*, Mutex*, absl::Time)>("7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE");
  return Exchange(mutex, real, this, mutex, deadline);
}

bool CondVar::WaitWithTimeout(Mutex* mutex, absl::Duration timeout) {
  static const auto real =
      InAbseil<bool (*)(CondVar*, Mutex*, absl::Duration)>("7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE");
  return Exchange(mutex, real, this, mutex, timeout);
}

// Both functions have fast paths of atomics inside the library.

void Notification::Notify() {
  static const auto real = InAbseil<void (*)(Notification*)>("12Notification6NotifyEv");
  Give(this, real, this);
}

void Notification::WaitForNotification() const {
  static const auto real = InAbseil<void (*)(const Notification*)>("12Notification19WaitForNotificationEv", "_ZNK");
  Take(const_cast<Notification*>(this), real, this);
}

bool Notification::WaitForNotificationWithTimeout(absl::Duration timeout) const {
  static const auto real = InAbseil<bool (*)(const Notification*, absl::Duration)>(
      "12Notification30WaitForNotificationWithTimeoutENS0_8DurationE", "_ZNK");
  const bool notified = real(this, timeout);
  if (notified) __tsan_acquire(const_cast<Notification*>(this));
  return notified;
}

bool BlockingCounter::DecrementCount() {
  static const auto real = InAbseil<bool (*)(BlockingCounter*)>("15BlockingCounter14DecrementCountEv");
  __tsan_release(this);
  return real(this);
}

void BlockingCounter::Wait() {
  static const auto real = InAbseil<void (*)(BlockingCounter*)>("15BlockingCounter4WaitEv");
  Take(this, real, this);
}

ABSL_NAMESPACE_END
}  // namespace absl
