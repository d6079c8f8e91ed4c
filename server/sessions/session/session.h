#ifndef AAREN_SERVER_SESSIONS_SESSION_SESSION_H_
#define AAREN_SERVER_SESSIONS_SESSION_SESSION_H_

// A Session is a shard's knowledge of a session with rows in the shard, apart from the rows. A shard may have millions,
// so a Session is compact, and facts about a few sessions live elsewhere.
//
// Numbers: tokens below point.seq are folded, and point.clock is the last folded token's; more tokens may wait in
// `flow`. The store may have two saves: at `durable_seq`, the save to go back to by the client's delivered_seq, and the
// newer save at `pending_seq`. A session without a stream has nothing waiting.
//
// Threading: belongs to one shard.

#include <cstdint>
#include <limits>

#include "server/sessions/models/model_table.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/session/table/compact_key.h"
#include "server/sessions/session/table/row_pool.h"
#include "server/store/session_point.h"

namespace aaren::queue {
struct Attachment;  // server/sessions/queue/attachment.h
struct Flow;        // server/sessions/queue/flow.h
}  // namespace aaren::queue

namespace aaren::session {

// A stream's handle stands for a Binding: server/sessions/shard/handles/bindings.h.
struct Binding {
  enum class Kind : uint8_t {
    kSession,    // a Session
    kOpening,    // an Open under way
    kClosing,    // a deleting Close under way
    kDemoted,    // a session with the row in the store only
    kPromotion,  // a demoted session on its way back
    kRefused     // the Open was refused or the session taken away: items are dropped until the next Open
  };
  explicit Binding(Kind k) : kind(k) {}
  Kind kind;
};

// One byte each, beside Binding::kind.
struct SessionFlags {
  enum class List : uint8_t { kNone, kUrgent, kUntold, kUnsaved, kQuiet, kNeverSaved, kResting };

  bool refusing = false;         // after a Failed: items are dropped until an item begins at expected_seq
  bool tracks_delivery = false;  // the client gives delivered_seq
  bool regular_times = false;    // token seq has time regular_start_ns + seq * regular_step_ns
  bool closing = false;          // a Close waits in the flow
  bool save_in_flight = false;   // a save is at the registrar
  bool held = false;             // the registrar holds the session: no save, no eviction, no expiry
  bool under_way = false;        // the step under way has the session: the rows are the engine's
  bool stalled = false;          // the stream waits until the store has taken earlier tokens
  bool unsavable = false;        // the store's record is damaged: the store will take no save
  SessionDurability durability = SessionDurability::kInterval;
  List list = List::kNone;  // the list of `previous` and `next`: server/sessions/session/table/session_lists.h
};

// The stream with the session open, and the terms of the stream's Open. Null: no stream.
struct SessionStream {
  queue::Attachment* stream = nullptr;
  queue::Flow* flow = nullptr;  // null: nothing waits
  const task::OutputPlan* plan = nullptr;
  int64_t regular_start_ns = 0;
  int64_t regular_step_ns = 0;
};

// The saves and times of the session.
struct SessionSaves {
  static constexpr uint64_t kNoSave = std::numeric_limits<uint64_t>::max();

  uint64_t newest_save() const { return pending_seq != kNoSave ? pending_seq : durable_seq; }

  uint64_t delivered_seq = 0;
  uint64_t durable_seq = 0;  // 0: the empty row
  uint64_t pending_seq = kNoSave;
  int64_t last_active_ms = 0;
  int64_t saved_active_ms = 0;  // last_active_ms in the store, or in a save under way
  int64_t due_ms = 0;           // when an unsaved or quiet session is due; since when an untold session waits
};

struct Session : Binding, SessionFlags, SessionStream, SessionSaves {
  Session() : Binding(Kind::kSession) {}

  bool SavesEveryToken() const { return durability == SessionDurability::kEveryToken; }

  // True if nothing more is answered before the store has a save of the last tokens.
  bool AwaitsSave() const { return SavesEveryToken() && point.seq != newest_save(); }

  // True if the saves, and with the saves the next replies, wait for the client's delivered_seq.
  bool AwaitsDelivery() const { return AwaitsSave() && pending_seq != kNoSave && stream != nullptr; }

  // The durable_seq for the client: with every token saved, the reply's own save.
  uint64_t told_durable_seq() const { return SavesEveryToken() ? newest_save() : durable_seq; }

  // The engine's floats of a token, for a channel and for all channels. REQUIRES: a stream has the session.
  size_t inputs() const { return model->conversion->inputs(*plan); }
  size_t inputs_per_token() const { return channels * inputs(); }

  // How many values of a client make a token.
  uint32_t values_per_token() const { return channels * model->conversion->values_per_series(); }

  // The engine's floats of a result, for a channel. REQUIRES: a stream has the session.
  size_t result_floats() const { return model->engine->result_floats() + plan->selected(); }

  const models::LoadedModel* model = nullptr;  // kept in memory by the rows' lane
  RowSet rows;
  store::SessionPoint point;
  store::Attempt attempt;  // the latest Open's
  Session* previous = nullptr;
  Session* next = nullptr;
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  CompactKey key;         // tenant, '/', id
  Handle handle = 0;      // the handle on `stream`
  uint32_t channels = 1;  // series, each with a row; not a token's values where the model joins values
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_SESSION_H_
