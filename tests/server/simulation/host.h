#ifndef AAREN_TESTS_SERVER_SIMULATION_HOST_H_
#define AAREN_TESTS_SERVER_SIMULATION_HOST_H_

// A Host is a client's process: a few sessions on a stream, each with the real client's SessionState and an application
// to receive every forecast exactly once. The host does client::Connection's work, a turn at a time. The stream is cut,
// and the process dies and comes back with the delivered forecasts. In the end every forecast of every session must
// have come once, in order, with the right bits. Only the host opens the host's sessions: while no Open of a dead
// process is on its way, no session may be taken from the host.
//
// Each session has a durability with a promise. With NONE a session may lose replies, by name. With EVERY_TOKEN a
// received reply is saved, and the answered tokens are never wanted again.

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "client/cpp/messages/message_builder.h"
#include "client/cpp/session/session_state.h"
#include "tests/server/simulation/cluster.h"
#include "tests/server/simulation/link.h"
#include "tests/server/simulation/series.h"

namespace aaren::simulation {

// The application of a session.
class Track final : public client::Listener {
 public:
  Track(Fate& fate, std::string id, const Series& series, bool manual, client::Durability durability);

  // The process begins with the delivered forecasts, and without any further memory.
  void Begin();
  bool finished() const { return finished_; }
  bool ended() const { return ended_; }
  client::SessionState& state() { return *state_; }
  const std::string& id() const { return id_; }

  // An Open follows. `contested`: an Open of a dead process may come to the server later, and take the session.
  void Opens(bool contested);

  // The process dies: a late Open of the process may tell the old position, and take the session back.
  void Doubt() { doubted_ = true; }

  // Gives the session more tokens, closes the session, or writes received forecasts to disk. True if the session has
  // items to send.
  bool Turn();

  void OnForecast(client::Session&, const client::Forecast& forecast) override;
  void OnOpened(client::Session&, const client::Opened& opened) override;
  void OnProgress(client::Session&, uint64_t next_seq, uint64_t durable_seq) override;
  bool OnRewind(client::Session&, uint64_t seq) override;
  void OnLost(client::Session&, const client::Loss& loss) override;
  void OnEnded(client::Session&, const absl::Status& status) override;

 private:
  void Check(const client::Forecast& forecast);
  uint64_t Promised() const;

  Fate& fate_;
  const std::string id_;
  const Series& series_;
  const bool manual_;
  const client::Durability durability_;
  std::unique_ptr<client::SessionState> state_;
  Reach reach_ = Reach::kNear;   // asked for by every Open of the process
  uint64_t received_ = 0;        // forecasts in the process
  uint64_t delivered_ = 0;       // … and on disk
  uint64_t durable_ = 0;         // tokens below are never wanted again
  std::set<uint64_t> told_;      // with EVERY_TOKEN: the promises of received replies
  uint64_t open_delivered_ = 0;  // the Open's delivered_seq, or more
  bool doubted_ = false;
  bool contested_ = false, closing_ = false, ended_ = false, finished_ = false;
};

class Host {
 public:
  Host(Fate& fate, Cluster& cluster, std::vector<std::unique_ptr<Track>> tracks);

  // A moment of the process. Until the calm the process may be cut off or die.
  void Turn();
  void Calm() { calm_ = true; }

  // The server is gone, and the stream.
  void LoseServer();

  // Lets an item through on a present or past stream of the host. False if no stream has an item.
  bool Deliver();

  bool finished() const;

 private:
  // Links are often cut before any answer, like on a bad network. An Open on its way comes to the server after the
  // Opens of the next link.
  uint64_t CutOneIn() const { return heard_ ? 150 : 25; }

  void Connect();
  void Leave();
  static bool DeliverOne(std::vector<std::unique_ptr<Link>>& links, uint64_t pick);
  void Die();
  void Receive();
  void Fill();
  void Work();
  void Attach(Track& track);
  void Handle(Track& track, const client::SessionState::Next& next);
  void Dispatch(const v1::ServerItem& item);
  Track* At(uint32_t handle);
  void Restart(Track& track);

  Fate& fate_;
  Cluster& cluster_;
  std::vector<std::unique_ptr<Track>> tracks_;
  std::unique_ptr<Link> link_;
  std::vector<std::unique_ptr<Link>> old_links_;  // left by the process; maybe unknown to the server
  std::vector<std::unique_ptr<Link>> orphans_;    // left by dead processes
  std::map<uint32_t, Track*> handles_;
  std::deque<Track*> ready_;
  std::deque<std::pair<int64_t, Track*>> retries_;  // when to open again
  client::MessageBuilder builder_;
  uint32_t next_handle_ = 0;
  uint64_t writer_;  // new in each life
  uint64_t opens_ = 0;
  bool heard_ = false;  // the server has answered on the link
  bool calm_ = false;
};

}  // namespace aaren::simulation

#endif  // AAREN_TESTS_SERVER_SIMULATION_HOST_H_
