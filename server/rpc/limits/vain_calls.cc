#include "server/rpc/limits/vain_calls.h"

#include "server/accept/peer_name.h"
#include "server/log/log.h"

namespace aaren::rpc {
namespace {

constexpr size_t kConnections = 2;  // of a host that may each have the most
constexpr size_t kPart = 20;        // of the most: a connection that has fewer is not what its host has too many of

}  // namespace

void VainCalls::Note(const std::string& peer) {
  const std::string name = accept::NormalPeer(peer);
  const size_t own = ++of_peers_[peer], of_host = ++of_hosts_[accept::HostOf(name)];
  const bool too_many = own >= most_ || (of_host >= kConnections * most_ && own >= most_ / kPart);
  if (!too_many || !ended_.insert(peer).second) return;
  log::Log(log::LogLevel::kWarning, "connection ended: its calls come to nothing", {{"peer", name}});
  if (end_) end_(peer);
}

void VainCalls::Forget() {
  of_peers_.clear();
  of_hosts_.clear();
  ended_.clear();
}

}  // namespace aaren::rpc
