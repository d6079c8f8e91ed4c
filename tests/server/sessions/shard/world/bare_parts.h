#ifndef AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_BARE_PARTS_H_
#define AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_BARE_PARTS_H_

// BareParts are the parts of a shard without the shard, and without a registrar: a FakeDirectory notes the requests,
// and a test gives the answers.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/sessions/registrar/directory.h"
#include "server/sessions/shard/arrival/intake.h"
#include "server/sessions/shard/arrival/opens.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/departure/departures.h"
#include "server/sessions/shard/handles/handles.h"
#include "server/sessions/shard/residents/residents.h"
#include "server/sessions/shard/step/steps.h"
#include "server/sessions/shard/tiers/tiers.h"
#include "tests/server/sessions/shard/world/fake_engine.h"
#include "tests/server/sessions/shard/world/fake_peer.h"
#include "tests/server/sessions/shard/world/test_clock.h"

namespace aaren::shard {

// Notes a shard's calls, and answers none.
struct FakeDirectory final : registrar::Directory {
  void Open(std::shared_ptr<const registrar::OpenCall> call) override { opens.push_back(std::move(call)); }
  void Save(int, std::vector<store::SaveWrite> writes) override { saved += writes.size(); }
  void Released(std::string key) override { released.push_back(std::move(key)); }
  void Promote(std::shared_ptr<const registrar::PromoteCall> call) override { promotes.push_back(std::move(call)); }
  void Delete(std::string key, registrar::DropCondition, Deleted done) override {
    deletes.emplace_back(std::move(key), std::move(done));
  }
  void Sweep(absl::Duration) override { ++sweeps; }
  void WatchStore() override { ++looks; }

  std::vector<std::shared_ptr<const registrar::OpenCall>> opens;
  std::vector<std::string> released;
  std::vector<std::shared_ptr<const registrar::PromoteCall>> promotes;
  std::vector<std::pair<std::string, Deleted>> deletes;
  size_t saved = 0, sweeps = 0, looks = 0;
};

// Notes the events of steps.
struct NotedSteps final : StepEvents {
  void OnClose(session::Session& session, bool delete_session) override {
    closed.emplace_back(session.key.view(), delete_session);
    steps->Forget(session);
  }
  void OnFailed(session::Session& session, const absl::Status&) override { failed.emplace_back(session.key.view()); }
  void OnStepEnded() override { ++ended; }

  Steps* steps = nullptr;
  std::vector<std::pair<std::string, bool>> closed;
  std::vector<std::string> failed;
  int ended = 0;
};

struct BareParts {
  explicit BareParts(ShardOptions options = {}, std::unique_ptr<models::ModelTable> of = FakeModels())
      : models(std::move(of)), core(0, std::move(options), *models, directory, clock) {
    events.steps = &steps;
  }

  FakeEngine& engine() { return FakeEngineOf(*models, models->models().front()->id); }

  // A session with a row, without a stream, in no list.
  session::Session& Make(const std::string& id) {
    const models::ModelRef model = models->models().front();
    auto made = std::make_unique<session::Session>();
    made->key = session::CompactKey(absl::StrCat("/", id));
    made->model = model.get();
    made->rows = *residents.slab().Allocate({model, 1});
    made->last_active_ms = made->saved_active_ms = core.now_ms();
    made->epoch = 1;
    session::Session& session = residents.Add(std::move(made));
    (void)residents.rows().Reset(*model, 1, session.rows);
    return session;
  }

  // The same, opened by the peer under the handle.
  session::Session& Attach(FakePeer& peer, session::Handle handle, const std::string& id) {
    session::Session& session = Make(id);
    session.stream = &handles.Of(peer);
    session.handle = handle;
    session.plan = residents.plans().Acquire({});
    session.stream->Bind(handle, &session);
    residents.Attach(session);
    return session;
  }

  // A one-channel item with the numbers of Values.
  static session::TokensView Item(const std::vector<float>& values, session::Handle handle, uint64_t first_seq) {
    session::TokensView tokens;
    tokens.handle = handle;
    tokens.first_seq = first_seq;
    tokens.values = values;
    return tokens;
  }

  void Send(session::Session& session, uint64_t first_seq, size_t count) {
    const std::vector<float> values = Values(first_seq, count);
    intake.Accept(session, Item(values, session.handle, first_seq));
  }

  std::unique_ptr<models::ModelTable> models;
  TestClock clock;
  FakeDirectory directory;
  NotedSteps events;
  Core core;
  Residents residents{core};
  Steps steps{core, residents, events};
  Handles handles{core, steps.queue()};
  Departures departures{core, residents, steps, handles};
  Intake intake{core, residents, steps, departures};
  Tiers tiers{core, residents, handles, departures, intake};
  Opens opens{{core, residents, steps, handles, departures, intake, tiers}};
};

}  // namespace aaren::shard

#endif  // AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_BARE_PARTS_H_
