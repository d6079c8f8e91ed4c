#ifndef AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_TOKEN_CHECK_H_
#define AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_TOKEN_CHECK_H_

// The conditions for a Tokens item, checked before any token is folded. Each function names the culprit, and changes
// nothing but `clock`.

#include <cstdint>
#include <optional>

#include "server/sessions/session/peer.h"
#include "server/sessions/session/session.h"
#include "server/store/token_clock.h"

namespace aaren::shard {

// Refuses a wrong width, a wrong number of tokens, and fields unread by the model.
std::optional<session::Refusal> CheckShape(const session::TokensView& tokens, const session::Session& session,
                                           uint32_t max_tokens);

// The place: the item has the session's next token, `expected`, or only earlier tokens.
std::optional<session::Refusal> CheckPlace(const session::TokensView& tokens, uint64_t expected);

// Refuses tokens more than `most` ahead of the client's delivered_seq, if told. REQUIRES: the shape is right.
std::optional<session::Refusal> CheckInFlight(const session::TokensView& tokens, const session::Session& session,
                                              uint64_t most);

// The numbers from token `skip` on: no infinity, and times never go back. Advances `clock`, the session's, over the
// tokens. REQUIRES: the shape is right; token `skip` is the session's next.
std::optional<session::Refusal> CheckContent(const session::TokensView& tokens, const session::Session& session,
                                             uint32_t skip, store::TokenClock& clock);

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_ARRIVAL_TOKEN_CHECK_H_
