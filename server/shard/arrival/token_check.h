#ifndef AAREN_SERVER_SHARD_ARRIVAL_TOKEN_CHECK_H_
#define AAREN_SERVER_SHARD_ARRIVAL_TOKEN_CHECK_H_

// What a Tokens item must fulfil before any of it is folded. Each function names the culprit and changes nothing else.

#include <cstdint>
#include <optional>

#include "server/session/peer.h"
#include "server/session/session.h"
#include "server/store/token_clock.h"

namespace aaren::shard {

// Its shape: width, number of tokens, fields that the model has no use for.
std::optional<session::Refusal> CheckShape(const session::TokensView& tokens, const session::Session& session,
                                           uint32_t max_tokens);

// Its place: it holds the session's next token, `expected`, or only tokens before it.
std::optional<session::Refusal> CheckPlace(const session::TokensView& tokens, uint64_t expected);

// How far it is ahead of what its client has told it has, if the client tells that: no more than `most`. REQUIRES: the
// shape is right.
std::optional<session::Refusal> CheckInFlight(const session::TokensView& tokens, const session::Session& session,
                                              uint64_t most);

// Its numbers, from token `skip` on: no infinity, no time before the one before. Advances `clock`, which is the
// session's, over them. REQUIRES: the shape is right; token `skip` is the session's next.
std::optional<session::Refusal> CheckContent(const session::TokensView& tokens, const session::Session& session,
                                             uint32_t skip, store::TokenClock& clock);

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_ARRIVAL_TOKEN_CHECK_H_
