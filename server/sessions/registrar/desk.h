#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_DESK_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_DESK_H_

#include <cstddef>

#include "absl/time/time.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/registrar/delete/deleted_sessions.h"
#include "server/sessions/registrar/epochs.h"
#include "server/sessions/registrar/mail.h"
#include "server/sessions/registrar/owner_table.h"
#include "server/sessions/registrar/records.h"
#include "server/sessions/registrar/shards.h"
#include "server/sessions/registrar/stored/stored_bytes.h"
#include "server/sessions/registrar/sweep.h"
#include "server/sessions/registrar/transit.h"
#include "server/sessions/session/clock.h"
#include "server/store/punctual_store.h"

namespace aaren::registrar {

// The Desk has everything that the registrar's operations work with (operations.h). Threading: belongs to the
// registrar's thread; any thread may post to `mail`, and read `transit` and the store's health.
struct Desk {
  // The arguments are those of the Registrar.
  Desk(store::StateStore& s, const models::ModelTable& m, const session::Clock& c, size_t transit_bytes,
       absl::Duration patience)
      : models(m), clock(c), store(s, patience, [&c] { return c.Now(); }), transit(transit_bytes, mail.WeakPost()) {}

  ~Desk() { mail.Stop(); }  // operations under way use the rest

  absl::Time stamp() const { return clock.StampOf(clock.Now()); }

  const models::ModelTable& models;
  const session::Clock& clock;
  store::PunctualStore store;
  Mail mail;
  Transit transit;
  Shards shards{mail};
  OwnerTable owners{mail};
  Epochs epochs{mail, store};
  Records records{{mail, store, shards, epochs, transit, models, clock}};
  DeletedSessions deleted;
  StoredBytes stored{*this};
  Sweep sweep{*this};
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_DESK_H_
