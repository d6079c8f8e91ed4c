#ifndef AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_FAKE_PEER_H_
#define AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_FAKE_PEER_H_

// A FakePeer writes down every event from a shard, or from a part of a shard, to a stream.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/sessions/session/peer.h"

namespace aaren::shard {

class FakePeer : public session::Peer {
 public:
  struct Event {
    enum Kind { kOpened, kForecasts, kAcked, kClosed, kFailed, kOverdue } kind = kFailed;
    session::Handle handle = 0;
    session::OpenedReply opened = Unopened();
    uint64_t first_seq = 0, next_seq = 0, durable_seq = 0, expected_seq = 0;
    std::vector<float> values;  // [results, channels, 4, 3]
    std::vector<float> surprises;
    std::vector<int64_t> times_ns;
    std::vector<int64_t> steps_ns;
    int64_t step_ns = 0;  // the last result's step
    size_t results = 0;
    session::Refusal refusal;
    session::OverdueReply overdue;
  };

  // The `opened` of an event that is no kOpened: numbers that no session has, on which tests of a reply fail.
  static session::OpenedReply Unopened();

  void OnOpened(session::Handle handle, const session::OpenedReply& reply) override;
  void OnForecasts(session::Handle handle, const session::ForecastsReply& reply) override;
  void OnAcked(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) override;
  void OnClosed(session::Handle handle, uint64_t next_seq, uint64_t durable_seq) override;
  void OnOverdue(session::Handle handle, const session::OverdueReply& reply) override;
  void OnFailed(session::Handle handle, const session::Refusal& refusal, uint64_t expected_seq) override;
  void OnOpenRefused(session::Handle handle, uint64_t number, const session::Refusal& refusal) override;
  void OnCloseRefused(session::Handle handle, const session::Refusal& refusal) override;
  bool HasRoom() const override { return has_room; }
  void OnRoom() override { ++rooms; }

  // How many events of `kind` came for the handle.
  size_t Count(Event::Kind kind, session::Handle handle) const;

  // The last event. Without events: a kFailed event with "no such event".
  const Event& Last() const;
  const Event& Last(Event::Kind kind, session::Handle handle) const;

  // All forecasts of the handle's only channel until now, by seq: element i has first_seq + i.
  std::vector<std::vector<float>> Forecasts(session::Handle handle) const;

  std::vector<Event> events;
  bool has_room = true;
  int rooms = 0;  // calls of OnRoom

 private:
  Event& Add(Event::Kind kind, session::Handle handle);
};

// The values of tokens [first_seq, first_seq + count): seq + 0.5.
std::vector<float> Values(uint64_t first_seq, size_t count);

}  // namespace aaren::shard

#endif  // AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_FAKE_PEER_H_
