#ifndef AAREN_SERVER_STORE_REDIS_REDIS_SCRIPTS_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_SCRIPTS_H_

// The scripts by which Redis compares and writes in one step. Redis keeps scripts under the SHA-1 of their text.
//
// Every script has KEYS[1], the fence of this server, KEYS[2], the set of all session keys, and ARGV[1], the number of
// the connection. A script writes only if the fence holds the connection's number. A connection that was given up may
// still have commands on their way; once the next connection has put its number into the fence, late commands do
// nothing. Thus no call is done after a later call. A Redis that has lost its data holds no fence, and the next write
// notices.
//
// Rows do not go through a script: Lua hashes every byte of them, and Redis does nothing else meanwhile. An earlier
// HSET puts the rows into the session's hash, under a name of their own, and the script binds the rows to the session.
// Only a full Redis gets the rows in the script, which can throw away the old rows first.
//
// README.md has the layout of a session. `expected` is the beginning of the stored header: version, epoch and, for a
// save, the incarnation. A script that finds another beginning answers the stored header, or an empty string without
// a header; kCreate and kAcquire answer header, slot, slot. A script that wrote answers 1. Threading: pure
// functions.

#include <cstddef>
#include <string>

namespace aaren::store {

enum class RedisScript {
  kEpochs,   // KEYS: counter. ARGV: count. Answers the last of as many new epochs
  kCreate,   // like kAcquire, but only with room to spare
  kAcquire,  // KEYS: session. ARGV: member, expected (empty: nothing is held), keep, newest, header, [slot, rows]...
  kSave,     // KEYS: sessions. ARGV: for each expected, keep, header, slot, rows (empty: by HSET). Answers a list
  kDelete,   // KEYS: session. ARGV: member, expected ("*": anything)
  kList,     // ARGV: from, to, as of ZRANGEBYLEX, limit, prefix of sessions. Answers member, header, slot, slot, ...
};

constexpr size_t kRedisScripts = 6;

std::string TextOfScript(RedisScript script);

// The greeting of a new connection. KEYS[3]: identity of the data, KEYS[4]: counter of epochs. ARGV[1]: number of the
// connection, ARGV[2]: identity for a Redis without one, ARGV[3]: greatest known epoch, ARGV[4]: milliseconds for which
// a fence is kept. Answers the identity and the earlier value of the fence.
std::string TextOfHello();

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_SCRIPTS_H_
