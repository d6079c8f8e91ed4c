#ifndef AAREN_CLIENT_EVENT_MARKS_H_
#define AAREN_CLIENT_EVENT_MARKS_H_

// A mark is the kind of an event: a text at the client, a number at the server. The number follows from the text
// alone, so the number is the same in every process and in every language (proto/README.md). MarkNames remembers the
// texts behind the numbers:
//
//   MarkNames names;
//   const absl::StatusOr<uint32_t> mark = names.Add("login");
//   if (mark.ok()) session.Send(seq, {.times_ns = {time_ns}, .marks = {*mark}});
//   …
//   names.NameOf(forecast.event.marks[0]);     // "login"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace aaren::client {

inline constexpr size_t kMostMarkBytes = 64;
inline constexpr uint32_t kNewMark = 0xffffffff;  // in forecasts: any mark that the session does not know

// FNV-1a of 32 bits over the bytes. A text whose number would be kNewMark has the number below kNewMark.
uint32_t MarkNumber(absl::string_view mark);

// MarkNames has a bounded size: the marks used last stay, at least half of `capacity`. Two texts with the same number
// are one mark to the server; the text that came last is the name.
//
// Threading: safe from any thread.
class MarkNames {
 public:
  // REQUIRES: capacity >= 2. A session knows up to 64 marks, so the default has room for what is in flight.
  explicit MarkNames(size_t capacity = 4096) : capacity_(capacity) {}

  // The number of `mark`. INVALID_ARGUMENT for more than 64 bytes.
  absl::StatusOr<uint32_t> Add(absl::string_view mark);

  // The text of the number; "#" and the number where the text is not known, as for marks of an earlier process; "(new)"
  // for kNewMark.
  std::string NameOf(uint32_t number) const;

 private:
  using Table = absl::flat_hash_map<uint32_t, std::string>;

  const size_t capacity_;
  mutable absl::Mutex mutex_;
  // Marks used since the table before was full, and that table.
  Table latest_ ABSL_GUARDED_BY(mutex_);
  Table before_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_EVENT_MARKS_H_
