#ifndef AAREN_SERVER_ACCEPT_REFUSED_HOSTS_H_
#define AAREN_SERVER_ACCEPT_REFUSED_HOSTS_H_

// RefusedHosts knows which hosts may not connect for now, and until when. One whose connections were a flood is refused
// for a second, and four times as long each time that it is so again, for five minutes at most. After ten minutes of
// peace it is as any other. Threading: none of its own.

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace aaren::accept {

class RefusedHosts {
 public:
  bool Has(const std::string& host, absl::Time now) const;

  // For a second, or longer where it is for longer already.
  void Refuse(const std::string& host, absl::Time now);

  // For what it does again and again. A flood of many connections is one, until the host may connect again.
  void RefuseFlood(const std::string& host, absl::Time now);

  // Forgets those who have kept peace. Linear.
  void Forget(absl::Time now);

  bool empty() const { return hosts_.empty(); }

 private:
  struct Refusal {
    absl::Time until = absl::InfinitePast();
    absl::Duration next = absl::Seconds(1);  // of a flood
  };

  absl::flat_hash_map<std::string, Refusal> hosts_;
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_REFUSED_HOSTS_H_
