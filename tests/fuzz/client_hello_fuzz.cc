// A TLS connection's first bytes: a verdict is final, and later bytes do not change the verdict.

#include "server/accept/client_hello.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {

void RunClientHello(absl::string_view bytes) {
  using accept::ClientHello;
  const ClientHello all = accept::LookForClientHello(bytes);
  const size_t step = 1 + bytes.size() / 256;
  size_t size = 0;
  while (size < bytes.size() && accept::LookForClientHello(bytes.substr(0, size)) == ClientHello::kPart) size += step;
  Must(accept::LookForClientHello(bytes.substr(0, size)) == all, "what follows changes it");
  if (all != ClientHello::kWhole) return;
  Must(bytes[0] == 22, "no record of a handshake");
  Must(size >= 9, "no room for two headers");
}

}  // namespace aaren::fuzz
