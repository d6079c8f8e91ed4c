#ifndef AAREN_SERVER_STORE_REDIS_REDIS_SCRIPTS_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_SCRIPTS_H_

// The scripts by which Redis compares and writes in one step. Redis keeps them under the SHA-1 of their text.
//
// Every script has KEYS[1], the fence of this server, KEYS[2], the set of all session keys, and ARGV[1], the number of
// the connection. A script that writes does so only if the fence holds that number. A connection that was given up may
// still have commands on their way; once the next one has put its number there they do nothing. So no call is done
// after one that was made later. A Redis that has lost its data holds no fence, and is noticed by the next write.
//
// Rows do not go through a script: Lua hashes every byte of them, and Redis does nothing else meanwhile. HSET puts them
// into the session's hash before, under a name that nobody else uses, and the script says that they belong to it. Where
// Redis has no room for that, they go through the script after all: it can throw away the old rows first.
//
// What follows is each script's own; README.md has the layout of a session. `expected` is how the held header must
// begin: version, epoch and, for a save, the incarnation. A script that finds another answers the held header, or an
// empty string if there is none; kCreate and kAcquire answer header, slot, slot. What is done answers 1. Threading:
// pure functions.

#include <cstddef>
#include <string>

namespace aaren::store {

enum class RedisScript {
  kEpochs,   // KEYS: counter. ARGV: count. Answers the last of as many new epochs
  kCreate,   // as kAcquire, but only while there is room
  kAcquire,  // KEYS: session. ARGV: member, expected (empty: nothing is held), keep, newest, header, [slot, rows]...
  kSave,  // KEYS: sessions. ARGV: of each expected, keep, header, slot, rows (empty: HSET has put them). Answers a list
  kDelete,  // KEYS: session. ARGV: member, expected ("*": whatever is there)
  kList,    // ARGV: from, to, as of ZRANGEBYLEX, limit, prefix of sessions. Answers member, header, slot, slot, ...
};

constexpr size_t kRedisScripts = 6;

std::string TextOfScript(RedisScript script);

// What a new connection says. KEYS[3]: identity of the data, KEYS[4]: counter of epochs. ARGV[1]: number of the
// connection, ARGV[2]: identity for a Redis that has none, ARGV[3]: greatest epoch that is known, ARGV[4]: milliseconds
// for which a fence is kept. Answers the identity and what the fence held.
std::string TextOfHello();

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_SCRIPTS_H_
