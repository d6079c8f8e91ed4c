#ifndef AAREN_SERVER_SESSION_SESSION_H_
#define AAREN_SERVER_SESSION_SESSION_H_

// A Session is what a shard knows of one session whose rows it holds, apart from the rows. There may be millions, so it
// is compact, and what only a few need lives elsewhere.
//
// Numbers: tokens below point.seq are folded, and its clock is as of the last of them; more may wait in `flow`. Two
// saves may be in the store: `durable_seq`, to which the client's delivered_seq allows going back, and `pending_seq`,
// newer than that. A session without a stream is at rest: nothing of it waits.
//
// Threading: belongs to one shard.

#include <cstdint>
#include <limits>

#include "server/models/model_table.h"
#include "server/session/peer.h"
#include "server/session/table/compact_key.h"
#include "server/session/table/row_pool.h"
#include "server/store/session_point.h"

namespace aaren::queue {
struct Attachment;  // server/queue/attachment.h
struct Flow;        // server/queue/flow.h
}  // namespace aaren::queue

namespace aaren::session {

// What a stream's handle stands for.
struct Binding {
  enum class Kind : uint8_t {
    kSession,    // a Session
    kOpening,    // an Open under way
    kClosing,    // a Close that deletes, under way
    kDemoted,    // a Session's place while its row is in the store only
    kPromotion,  // the way back from there, under way
    kRefused     // an Open was refused or the session taken away: items are dropped until the next Open
  };
  explicit Binding(Kind k) : kind(k) {}
  Kind kind;
};

struct Session : Binding {
  static constexpr uint64_t kNoSave = std::numeric_limits<uint64_t>::max();
  enum class List : uint8_t { kNone, kUrgent, kUntold, kUnsaved, kQuiet, kNeverSaved, kResting };

  Session() : Binding(Kind::kSession) {}

  uint64_t newest_save() const { return pending_seq != kNoSave ? pending_seq : durable_seq; }

  bool SavesEveryToken() const { return durability == SessionDurability::kEveryToken; }

  // Whether nothing more is answered before a save of its last tokens is in the store.
  bool AwaitsSave() const { return SavesEveryToken() && point.seq != newest_save(); }

  // True if the saves wait for the client's delivered_seq, and with them the next replies.
  bool AwaitsDelivery() const { return AwaitsSave() && pending_seq != kNoSave && stream != nullptr; }

  // What its client is told as durable_seq: with every token saved, the save that covers the reply.
  uint64_t told_durable_seq() const { return SavesEveryToken() ? newest_save() : durable_seq; }

  // Floats that the engine takes of a token, all channels counted.
  size_t inputs_per_token() const { return channels * model->conversion->inputs(); }

  // Flags, beside Binding::kind.
  bool refusing = false;         // after a Failed: drop items until one starts at expected_seq
  bool tracks_delivery = false;  // the client gives delivered_seq
  bool regular_times = false;    // token seq has time regular_start_ns + seq * regular_step_ns
  bool closing = false;          // its Close waits in its flow
  bool save_in_flight = false;   // at the registrar
  bool held = false;             // by an operation of the registrar: not to be saved, evicted or expired
  bool under_way = false;        // in the shard's step under way: its rows are the engine's
  bool stalled = false;          // tokens of it wait in its stream until the store has taken others
  bool unsavable = false;        // what the store has of it is damaged: no save will be taken
  SessionDurability durability = SessionDurability::kInterval;
  List list = List::kNone;  // which of the shard's lists `previous` and `next` are of
  Handle handle = 0;        // of `stream`
  uint32_t channels = 1;
  const models::LoadedModel* model = nullptr;  // whose lane has the rows, and keeps it
  RowSet rows;
  queue::Attachment* stream = nullptr;     // null: detached
  queue::Flow* flow = nullptr;             // null: nothing waits
  const task::OutputPlan* plan = nullptr;  // null: detached
  store::SessionPoint point;
  uint64_t delivered_seq = 0;
  uint64_t durable_seq = 0;  // 0: the empty row
  uint64_t pending_seq = kNoSave;
  store::Attempt attempt;  // of the Open that took it last
  int64_t regular_start_ns = 0;
  int64_t regular_step_ns = 0;
  int64_t last_active_ms = 0;
  int64_t saved_active_ms = 0;  // as the store has it, or a save under way brings it
  int64_t due_ms = 0;           // while unsaved or quiet: when to start a save; while untold: since when
  Session* previous = nullptr;
  Session* next = nullptr;
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  CompactKey key;  // tenant, '/', id
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSION_SESSION_H_
