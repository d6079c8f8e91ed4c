#ifndef AAREN_TESTS_SERVER_SIMULATION_RIVAL_H_
#define AAREN_TESTS_SERVER_SIMULATION_RIVAL_H_

// A Rival is a client without manners. It opens sessions that further rivals have open. It sends tokens twice, with
// gaps, silently, or behind an unanswered Open. It closes, deletes and leaves at any moment, and calls unary methods
// about all of it. All rivals' sessions have the same series: each may be forked or imported as any other, and every
// answer must have the series' bits.

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
  Rival(Fate& fate, Cluster& cluster, const Series& series, std::vector<std::string> owned);

  void Turn();
  bool Deliver();
  void LoseServer();
  void Leave();

 private:
  struct Hold {
    bool opened = false;
    uint64_t next_seq = 0;
  };

  void Connect();
  void Open();
  void Tokens();
  void Close();
  void Receive();
  void Check(const v1::Forecasts& forecasts);
  void Ask();
  std::string AnyId();

  Fate& fate_;
  Cluster& cluster_;
  const Series& series_;
  const std::vector<std::string> owned_;  // sessions of hosts: only looked at
  std::unique_ptr<Link> link_;
  std::vector<std::unique_ptr<Link>> old_links_;
  std::map<uint32_t, Hold> holds_;
  std::shared_ptr<std::string> snapshot_ = std::make_shared<std::string>();
};

}  // namespace aaren::simulation

#endif  // AAREN_TESTS_SERVER_SIMULATION_RIVAL_H_
