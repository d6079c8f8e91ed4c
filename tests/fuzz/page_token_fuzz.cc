// A page token: every accepted token was given out.

#include "server/sessions/registrar/list/page_token.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {

void RunPageToken(absl::string_view bytes) {
  const auto key = registrar::DecodePageToken("list", bytes);
  if (key.has_value()) Must(registrar::EncodePageToken("list", *key) == bytes, "a token that was never given out");
}

}  // namespace aaren::fuzz
