#ifndef AAREN_SERVER_IDENTITY_ROSTER_H_
#define AAREN_SERVER_IDENTITY_ROSTER_H_

// The Roster lists who may call, and by what they are known: the hash of a token, or a name in the certificate that
// they show. It is a text file, one caller a line:
//
//   # tenant  role    known by
//   acme      stream  sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//   acme      admin   name:ops.acme.example
//
// Of a token only the hash is kept, so the file betrays none. A tenant may have many lines. Threading: immutable.

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/identity/caller.h"

namespace aaren::identity {

class Roster {
 public:
  // InvalidArgument naming the line: a role that does not exist, a hash of another length, somebody who is there twice.
  static absl::StatusOr<Roster> Parse(absl::string_view text);

  // Whose token it is; none: nobody's.
  std::optional<Caller> FindToken(absl::string_view token) const;

  // Who has this name in a certificate, a subject alternative name or a common name, to the letter.
  std::optional<Caller> FindName(absl::string_view name) const;

  size_t size() const { return callers_.size(); }

 private:
  absl::flat_hash_map<std::string, Caller> callers_;  // by what the file says, "sha256:…" or "name:…"
};

}  // namespace aaren::identity

#endif  // AAREN_SERVER_IDENTITY_ROSTER_H_
