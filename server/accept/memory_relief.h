#ifndef AAREN_SERVER_ACCEPT_MEMORY_RELIEF_H_
#define AAREN_SERVER_ACCEPT_MEMORY_RELIEF_H_

// The last resort while the process holds more memory than it may. What clients make the server hold is counted, and
// has limits. What gRPC holds of a stream that nobody has accepted yet is not counted, and headers of a kilobyte become
// thirty. So when it has grown by some more, those connections end that brought most since memory became short.
//
// Of two hosts the one whose connections brought more goes first, so of a flood from many hosts an honest one may go
// before them: it resumes. Spared are the last ones, who together brought next to nothing of all that came, and every
// host that brought less than a few messages. When a flood has gone and its memory still comes back, those who are
// left did not fill it.
//
// What they held comes back a little later, and before that it may grow on: gRPC still handles what it has read. So
// until some comes back, for half a second at most, only hosts of which connections have ended are blamed for more. For
// some seconds they may come again and again, and all the time gRPC handles what they brought. So a host that brought
// much less than one of them is not blamed before they have stayed away, unless all that is too much could be of what
// it brought. While there is room, what was brought by those who ended fades: a flood of hours covers for nobody.
//
// If it was a help and not enough, the next ones go. Those go who together brought half. Where it grows fast, hosts go
// whole: of streams that are opened gRPC makes a gigabyte a second.
//
// One that is full and stays within a little of where it was ends nobody: whoever is there then has not filled it. A
// slow growth adds up.
//
// Threading: crowded is the acceptor's thread's own; the others are called under one lock.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"

namespace aaren::accept {

class MemoryRelief {
 public:
  // Of each peer, how many bytes it has brought since this was last asked; the first time, of late.
  using Brought = std::vector<std::pair<std::string, uint64_t>>;

  // `excess` tells by how many bytes the process holds too much; 0: it does not. Null: it never does.
  explicit MemoryRelief(std::function<size_t()> excess) : excess_(std::move(excess)) {}

  // Peers whose connections must end now. Call it several times a second. What the heap keeps for later is given back
  // first. `brought` is asked only while the process holds too much.
  std::vector<std::string> WhoMustGo(absl::FunctionRef<Brought()> brought);

  // The connection of this peer, which has brought so much of late, ended for another reason, as a flood. What gRPC
  // makes of it may still be to come, and is nobody else's fault.
  void NoteEnded(const std::string& peer, uint64_t bytes);

  // Whether it held too much at the last call.
  bool crowded() const { return crowded_; }

 private:
  size_t Excess() const;
  void Remember(Brought brought);
  std::vector<std::pair<uint64_t, std::string>> GreatestFirst() const;
  bool Suspect(const std::string& host, uint64_t bytes) const;
  std::vector<std::string> TakeGreatest(bool whole_hosts);
  void Forgive();
  void Calm();
  void Fade();
  void BlameNobody(size_t excess);
  std::vector<std::string> Blame(size_t excess, bool fast);

  const std::function<size_t()> excess_;
  bool crowded_ = false;
  size_t last_ = 0;    // excess at the call before
  size_t level_ = 0;   // from which it grows: where it was when somebody last went, or when nobody had filled it
  int still_ = 0;      // calls since it last changed by much
  int blameless_ = 0;  // calls in which it had grown and nobody had brought anything
  int settling_ = 0;   // calls until others than `guilty_` are blamed for growth
  int lasting_ = 0;    // calls until others are who brought much less than one of them
  uint64_t gone_ = 0;  // bytes that those brought who have gone; half of it, each time that it grows without them
  absl::flat_hash_map<std::string, uint64_t> brought_;  // since it became short, or since they were last forgiven
  absl::flat_hash_map<std::string, uint64_t> guilty_;   // hosts of which connections ended since; what those brought
  uint64_t most_of_guilty_ = 0;                         // by the greatest of them
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_MEMORY_RELIEF_H_
