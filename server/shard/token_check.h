#ifndef AAREN_SERVER_SHARD_TOKEN_CHECK_H_
#define AAREN_SERVER_SHARD_TOKEN_CHECK_H_

// What a Tokens item must fulfil before any of it is folded. Both functions name the culprit and change nothing.

#include <cstdint>
#include <optional>

#include "server/session/peer.h"
#include "server/session/session.h"
#include "server/store/token_clock.h"

namespace aaren::shard {

// Its shape: width, number of tokens, fields that the model has no use for.
std::optional<session::Refusal> CheckShape(const session::TokensView& tokens, const session::Session& session,
                                           uint32_t max_tokens);

// Its numbers, from token `skip` on: no infinity, no time before the one before. Advances `clock`, which is the
// session's, over them. REQUIRES: the shape is right; token `skip` is the session's next.
std::optional<session::Refusal> CheckContent(const session::TokensView& tokens, const session::Session& session,
                                             uint32_t skip, store::TokenClock& clock);

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SHARD_TOKEN_CHECK_H_
