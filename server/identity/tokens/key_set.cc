#include "server/identity/tokens/key_set.h"

#include <cjose/cjose.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"

namespace aaren::identity {
namespace {

using nlohmann::json;

constexpr size_t kLeastRsaBits = 2048, kMostRsaBits = 8192;  // RFC 7518, 3.3; beyond, verifying takes long

// An algorithm, and the keys for the algorithm. No algorithm beyond the table is accepted: above all not `none`, and
// not HS256, by which anybody with the public key could sign.
struct Algorithm {
  absl::string_view name, kind, curve;
};
constexpr std::array<Algorithm, 9> kAlgorithms = {{{"RS256", "RSA", ""},
                                                   {"RS384", "RSA", ""},
                                                   {"RS512", "RSA", ""},
                                                   {"PS256", "RSA", ""},
                                                   {"PS384", "RSA", ""},
                                                   {"PS512", "RSA", ""},
                                                   {"ES256", "EC", "P-256"},
                                                   {"ES384", "EC", "P-384"},
                                                   {"ES512", "EC", "P-521"}}};

template <auto Release>
struct Releaser {
  template <typename T>
  void operator()(T* held) const {
    Release(held);
  }
};
using HeldKey = std::unique_ptr<cjose_jwk_t, Releaser<cjose_jwk_release>>;
using HeldJws = std::unique_ptr<cjose_jws_t, Releaser<cjose_jws_release>>;

// A member of type string; empty for anything else.
std::string TextOf(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The members required by RFC 7638, sorted and without spaces, as `dump` writes. None of them is private.
std::string PublicPart(const json& key) {
  json part;
  for (const char* name : {"crv", "e", "kty", "n", "x", "y"}) {
    const bool of_rsa = *name == 'e' || *name == 'n';
    if (name != absl::string_view("kty") && of_rsa != (TextOf(key, "kty") == "RSA")) continue;
    part[name] = TextOf(key, name);
  }
  return part.dump();
}

std::string Fingerprint(absl::string_view part) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(part.data()), part.size(), digest.data());
  return absl::WebSafeBase64Escape({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool IsBase64Url(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; });
}

// By an even exponent nothing can be signed, and by 1 anybody can: the power of a signature is the signature.
bool IsWeak(const json& key) {
  std::string modulus, exponent;
  const bool read = absl::WebSafeBase64Unescape(TextOf(key, "n"), &modulus) &&
                    absl::WebSafeBase64Unescape(TextOf(key, "e"), &exponent) && !modulus.empty() && !exponent.empty();
  if (!read || modulus.back() % 2 == 0 || exponent.back() % 2 == 0) return true;
  const bool is_one = exponent.back() == 1;
  return is_one && std::all_of(exponent.begin(), exponent.end() - 1, [](char byte) { return byte == 0; });
}

// True if the numbers are base64url without padding. cjose ends the process at some malformed numbers.
bool HasReadableNumbers(const json& key) {
  const std::array<const char*, 4> names = {"n", "e", "x", "y"};
  return std::all_of(names.begin(), names.end(), [&key](const char* name) {
    const std::string number = TextOf(key, name);
    std::string bytes;
    return IsBase64Url(number) && absl::WebSafeBase64Unescape(number, &bytes);
  });
}

bool IsForSignatures(const json& key) {
  const std::string kind = TextOf(key, "kty"), use = TextOf(key, "use"), curve = TextOf(key, "crv");
  if (!use.empty() && use != "sig") return false;
  return std::any_of(kAlgorithms.begin(), kAlgorithms.end(), [&](const Algorithm& known) {
    return known.kind == kind && (known.curve.empty() || known.curve == curve);
  });
}

// True for three parts of base64url. Both parsers of a part then see the same bytes.
bool IsCompact(absl::string_view token) {
  const std::vector<absl::string_view> parts = absl::StrSplit(token, '.');
  return parts.size() == 3 && std::all_of(parts.begin(), parts.end(), IsBase64Url);
}

absl::Status NoToken(absl::string_view why) { return absl::UnauthenticatedError(why); }

}  // namespace

struct KeySet::Key {
  HeldKey held;
  std::string id, kind, curve;
  std::string algorithm;  // the key's only algorithm; empty: every algorithm of its kind
  std::string fingerprint;

  static absl::StatusOr<Key> From(const json& object);
  bool Suits(absl::string_view alg) const {
    if (!algorithm.empty() && algorithm != alg) return false;
    return std::any_of(kAlgorithms.begin(), kAlgorithms.end(), [this, alg](const Algorithm& known) {
      return known.name == alg && known.kind == kind && (known.curve.empty() || known.curve == curve);
    });
  }
};

absl::StatusOr<KeySet::Key> KeySet::Key::From(const json& object) {
  const absl::Status unreadable = absl::InvalidArgumentError("its numbers are no public key");
  if (!HasReadableNumbers(object)) return unreadable;
  const std::string part = PublicPart(object);
  cjose_err error;
  Key key{.held = HeldKey(cjose_jwk_import(part.data(), part.size(), &error)),
          .id = TextOf(object, "kid"),
          .kind = TextOf(object, "kty"),
          .curve = TextOf(object, "crv"),
          .algorithm = TextOf(object, "alg"),
          .fingerprint = Fingerprint(part)};
  if (key.held == nullptr) return unreadable;
  if (key.kind != "RSA") return key;
  if (IsWeak(object)) return absl::InvalidArgumentError("an RSA key has an odd exponent from 3 on, and an odd modulus");
  const size_t bits = cjose_jwk_get_keysize(key.held.get(), &error);
  if (bits >= kLeastRsaBits && bits <= kMostRsaBits) return key;
  return absl::InvalidArgumentError(absl::StrCat("an RSA key has ", kLeastRsaBits, " to ", kMostRsaBits, " bits"));
}

KeySet::KeySet() = default;
KeySet::KeySet(KeySet&&) noexcept = default;
KeySet& KeySet::operator=(KeySet&&) noexcept = default;
KeySet::~KeySet() = default;

absl::StatusOr<KeySet> KeySet::Parse(absl::string_view text) {
  const bool is_text = !absl::StrContains(text, '\0');  // a NUL byte would end the parser's text
  const json set = is_text ? json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false) : json();
  if (!set.is_object() || !set.contains("keys") || !set["keys"].is_array()) {
    return absl::InvalidArgumentError("no JWKS: it is an object of JSON with an array \"keys\"");
  }
  if (set["keys"].size() > kMaxKeys) {
    return absl::InvalidArgumentError(absl::StrCat(set["keys"].size(), " keys, the limit is ", kMaxKeys));
  }
  KeySet keys;
  for (size_t i = 0; i < set["keys"].size(); ++i) {
    const json& object = set["keys"][i];
    absl::Status status = absl::OkStatus();
    if (!object.is_object()) {
      status = absl::InvalidArgumentError("no object");
    } else if (TextOf(object, "kty") == "oct" || object.contains("d")) {
      status = absl::InvalidArgumentError("a secret key; callers are checked by public ones");
    } else if (IsForSignatures(object)) {
      absl::StatusOr<Key> key = Key::From(object);
      status = key.ok() ? keys.Add(*std::move(key)) : key.status();
    }
    if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat("key ", i + 1, ": ", status.message()));
  }
  return keys;
}

absl::Status KeySet::Add(Key key) {
  // Verify chooses by kid: of two keys with one kid the order would decide.
  for (const auto& other : keys_) {
    if (other->id == key.id && !key.id.empty()) return absl::InvalidArgumentError("another key has its kid");
  }
  keys_.push_back(std::make_unique<const Key>(std::move(key)));
  return absl::OkStatus();
}

absl::StatusOr<const KeySet::Key*> KeySet::Choose(absl::string_view token) const {
  if (token.size() > kMaxTokenBytes) return NoToken("it is too long");
  std::string text;
  if (!IsCompact(token) || !absl::WebSafeBase64Unescape(*absl::StrSplit(token, '.').begin(), &text)) {
    return NoToken("it is no JWS");
  }
  const json header = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return NoToken("its header is no object");
  // RFC 7515, 4.1.11: a token with critical extensions unknown to the reader is invalid.
  if (header.contains("crit")) return NoToken("its header has extensions that must be understood");
  const Key* chosen = nullptr;
  if (!header.contains("kid")) {
    if (keys_.size() != 1) return NoToken("it does not say which of several keys has signed it");
    chosen = keys_[0].get();
  }
  const std::string id = TextOf(header, "kid");
  for (const auto& key : keys_) {
    if (!id.empty() && key->id == id) chosen = key.get();
  }
  if (chosen == nullptr) return NoToken("its key is not in the set");
  if (!chosen->Suits(TextOf(header, "alg"))) return NoToken("its algorithm is not one of its key");
  return chosen;
}

// cjose accepts further algorithms: key and algorithm are chosen before cjose sees the token.
absl::StatusOr<KeySet::Signed> KeySet::Verify(absl::string_view token) const {
  const absl::StatusOr<const Key*> key = Choose(token);
  if (!key.ok()) return key.status();
  cjose_err error;
  const HeldJws jws(cjose_jws_import(token.data(), token.size(), &error));
  if (jws == nullptr) return NoToken("it is no JWS");
  // cjose parses the header again, so the algorithm that cjose has read is checked as well.
  const char* const algorithm = cjose_header_get(cjose_jws_get_protected(jws.get()), CJOSE_HDR_ALG, &error);
  if (algorithm == nullptr || !(*key)->Suits(algorithm)) return NoToken("its algorithm is not one of its key");
  if (!cjose_jws_verify(jws.get(), (*key)->held.get(), &error)) return NoToken("its signature is not its key's");
  uint8_t* payload = nullptr;  // the JWS's
  size_t size = 0;
  if (!cjose_jws_get_plaintext(jws.get(), &payload, &size, &error)) return NoToken("it says nothing");
  return Signed{std::string(reinterpret_cast<const char*>(payload), size), (*key)->fingerprint};
}

bool KeySet::Has(absl::string_view fingerprint) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [fingerprint](const auto& key) { return key->fingerprint == fingerprint; });
}

}  // namespace aaren::identity
