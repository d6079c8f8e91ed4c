#ifndef AAREN_TESTS_E2E_SOAK_CLIENTS_SPEECH_H_
#define AAREN_TESTS_E2E_SOAK_CLIENTS_SPEECH_H_

// The items of clients: valid items, and items to be refused.

#include <string>

#include "aaren/v1/stream.pb.h"
#include "absl/time/time.h"
#include "model/package/config.h"
#include "tests/e2e/soak/chance.h"
#include "tests/e2e/soak/clients/conversation.h"
#include "tests/e2e/soak/judge/series.h"

namespace aaren::soak {

// An Open of the session, with output options that fit its kind. The caller sets mode, delivered_seq and incarnation.
v1::Open OpenOf(const std::string& id, uint32_t handle, const package::ForecasterConfig& config, Chance& chance);

// Tokens begin .. end - 1, as silent as token `as` is.
v1::Tokens TokensOf(const Series& series, uint32_t handle, uint64_t begin, uint64_t end, uint64_t as);

// An item of the hold, from its expected token on. Mostly new tokens, up to `most`; now and then also tokens sent
// before, too few tokens, or an error to be refused.
v1::Tokens NextTokens(const Hold& hold, uint32_t handle, uint64_t most, Chance& chance);

// Appends an invalid item: an item of a handle that is not open, or an invalid Open.
void AddBadItem(Conversation& conversation, Chance& chance, v1::ClientMessage& message)
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(conversation.mutex());

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_CLIENTS_SPEECH_H_
