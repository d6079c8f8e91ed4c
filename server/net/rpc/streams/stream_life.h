#ifndef AAREN_SERVER_NET_RPC_STREAMS_STREAM_LIFE_H_
#define AAREN_SERVER_NET_RPC_STREAMS_STREAM_LIFE_H_

// A StreamLife says how far a stream has come, from the call's beginning to the object's end, and decides which streams
// have waited for their clients for too long. Threading: a plain value.

#include <utility>

#include "absl/time/time.h"
#include "grpcpp/support/status.h"
#include "server/net/rpc/limits/stream_limits.h"

namespace aaren::rpc {

class StreamLife {
 public:
  enum class Phase {
    kNew,        // Hello is still to come
    kGreeted,    // items are taken
    kEnding,     // no item is taken; the status follows the last reply
    kFinishing,  // gRPC has the status
    kOver        // gRPC has no further use for the call
  };

  // The state of a stream at the moment of a look.
  struct Signs {
    bool in_use = false;      // a session is open, a message is handled, or a write is under way
    bool writing = false;     // a write is under way
    bool in_the_way = false;  // unread replies keep tokens of other streams from being taken
    absl::Time writing_since = absl::InfinitePast();
  };
  enum class Verdict {
    kStays,
    kUnread,         // the client does not read: cut the stream off
    kNoLastWord,     // a struck out caller's client does not take the status: cut the stream off
    kNoHello,        // end the stream
    kNothingIsOpen,  // end the stream
  };

  Phase phase() const { return phase_; }
  bool takes_items() const { return phase_ <= Phase::kGreeted; }
  bool greeted() const { return phase_ >= Phase::kGreeted; }
  bool ending() const { return phase_ == Phase::kEnding; }
  bool finishing() const { return phase_ >= Phase::kFinishing; }
  bool over() const { return phase_ == Phase::kOver; }
  bool struck_out() const { return struck_out_at_ != absl::InfiniteFuture(); }
  const grpc::Status& last_word() const { return last_word_; }  // REQUIRES: ending()

  void Begin(absl::Time now) { used_ = now; }
  void Greet(absl::Time now);

  // Ends the stream with `status`. False if the stream ends already, perhaps otherwise.
  bool End(grpc::Status status);
  void Finish() { phase_ = Phase::kFinishing; }
  void Finished() { phase_ = Phase::kOver; }

  // The caller may not have the stream any more.
  void StrikeOut(absl::Time now) { struck_out_at_ = now; }

  // True once.
  bool Cancel() { return !std::exchange(cancelled_, true); }

  // Call Look every second or so.
  Verdict Look(const Signs& signs, const StreamLimits& limits, absl::Time now);

 private:
  Phase phase_ = Phase::kNew;
  grpc::Status last_word_;
  absl::Time used_;  // when the stream began, was greeted, or was last seen in use
  absl::Time struck_out_at_ = absl::InfiniteFuture();
  bool cancelled_ = false;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_STREAMS_STREAM_LIFE_H_
