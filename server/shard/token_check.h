#ifndef AAREN_SERVER_SHARD_TOKEN_CHECK_H_
#define AAREN_SERVER_SHARD_TOKEN_CHECK_H_

// What a Tokens item must fulfil before any of it is folded. Both functions name the culprit and change nothing.

#include <cstdint>
#include <optional>

#include "server/session/peer.h"
#include "server/session/session.h"
#include "server/store/token_clock.h"

namespace aaren {

// Its shape: width, number of tokens, fields that the model has no use for.
std::optional<Refusal> CheckShape(const TokensView& tokens, const Session& session, uint32_t max_tokens);

// Its numbers, from token `skip` on: no infinity, no time before the one before. Advances `clock`, which is the
// session's, over them. REQUIRES: the shape is right; token `skip` is the session's next.
std::optional<Refusal> CheckContent(const TokensView& tokens, const Session& session, uint32_t skip, TokenClock& clock);

}  // namespace aaren

#endif  // AAREN_SERVER_SHARD_TOKEN_CHECK_H_
