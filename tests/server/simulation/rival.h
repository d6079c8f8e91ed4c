#ifndef AAREN_TESTS_SERVER_SIMULATION_RIVAL_H_
#define AAREN_TESTS_SERVER_SIMULATION_RIVAL_H_

// A Rival is a client without manners. It opens sessions that further rivals have open. It sends tokens twice, with
// gaps, silently, or behind an unanswered Open. It closes, deletes and leaves at any moment, and calls unary methods
// about all sessions. All rivals' sessions have the same values and times. Each session may be forked or imported, and
// every answer must have the bits of the session's rows. An Open may ask for other rows than the session has: the
// server refuses the Open by name. The server also refuses every Open of a host's session here, and the host notices
// nothing.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/server/simulation/cluster.h"
#include "tests/server/simulation/link.h"
#include "tests/server/simulation/series.h"

namespace aaren::simulation {

class Rival {
 public:
  // `series`: one for each form of rows that a session may have.
  Rival(Fate& fate, Cluster& cluster, const std::vector<Series>& series, std::vector<std::string> owned);

  void Turn();
  bool Deliver();
  void LoseServer();
  void Leave();

  // How many Opens were refused because the session has other rows.
  uint64_t refused() const { return refused_; }

 private:
  // An Open asks for the rows of a series, and for a part of its forecasts.
  struct Asked {
    const Series* series = nullptr;
    Reach reach = Reach::kNear;
    bool covariates = false;  // told, and not left to the session
    bool owned = false;       // a host's session
  };
  struct Hold {
    uint64_t next_seq = 0;
    Asked sent, answered;  // by the latest Open, and by the latest Opened
  };

  void Connect();
  void Open();
  void OpenOwned();
  void Send(v1::ClientItem item, const Asked& asked);
  void Tokens();
  void Close();
  void Receive();
  void CheckOpened(const v1::Opened& opened);
  void CheckFailed(const v1::Failed& failed);
  void Check(const v1::Forecasts& forecasts);
  void Ask();
  std::string AnyId();

  Fate& fate_;
  Cluster& cluster_;
  const std::vector<Series>& series_;
  const std::vector<std::string> owned_;  // sessions of hosts: only looked at
  std::unique_ptr<Link> link_;
  std::vector<std::unique_ptr<Link>> old_links_;
  std::map<uint32_t, Hold> holds_;
  std::map<uint64_t, Asked> asked_;  // by the number of the Open
  uint64_t opens_ = 0, refused_ = 0;
  std::shared_ptr<std::string> snapshot_ = std::make_shared<std::string>();
};

}  // namespace aaren::simulation

#endif  // AAREN_TESTS_SERVER_SIMULATION_RIVAL_H_
