#include "tests/server/identity/tokens/token_maker.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace aaren::identity {
namespace {

const unsigned char* BytesOf(absl::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string Number(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  EVP_PKEY_get_bn_param(key, name, &number);
  std::string bytes(static_cast<size_t>(BN_num_bytes(number)), '\0');
  BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
  BN_free(number);
  return Base64Url(bytes);
}

// x, then y.
std::string Point(EVP_PKEY* key) {
  std::array<unsigned char, 256> bytes;
  size_t size = 0;
  EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, bytes.data(), bytes.size(), &size);
  return {reinterpret_cast<const char*>(bytes.data()) + 1, size - 1};  // 4: uncompressed
}

// In JWS' form: r and s of the curve's size; OpenSSL writes DER.
std::string FromDer(const std::string& der, int number_bytes) {
  const unsigned char* bytes = BytesOf(der);
  ECDSA_SIG* signature = d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size()));
  std::string both(2 * static_cast<size_t>(number_bytes), '\0');
  auto* const out = reinterpret_cast<unsigned char*>(both.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, number_bytes);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + number_bytes, number_bytes);
  ECDSA_SIG_free(signature);
  return both;
}

}  // namespace

struct TokenMaker::Key {
  EVP_PKEY* pkey;
  std::string curve;  // empty: RSA

  Key(EVP_PKEY* key, std::string curve_name) : pkey(key), curve(std::move(curve_name)) {}
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;
  ~Key() { EVP_PKEY_free(pkey); }
};

std::string Base64Url(absl::string_view bytes) { return absl::WebSafeBase64Escape(bytes); }

std::string SigningInput(absl::string_view header, absl::string_view payload) {
  return absl::StrCat(Base64Url(header), ".", Base64Url(payload));
}

TokenMaker TokenMaker::Rsa(int bits) {
  return TokenMaker(std::make_shared<const Key>(EVP_RSA_gen(static_cast<unsigned>(bits)), ""));
}
TokenMaker TokenMaker::Ec(const char* curve) {
  return TokenMaker(std::make_shared<const Key>(EVP_EC_gen(curve), curve));
}

std::string TokenMaker::Jwk(absl::string_view members) const {
  const absl::string_view comma = members.empty() ? "" : ",";
  if (key_->curve.empty()) {
    return absl::StrCat(R"({"kty":"RSA","n":")", Number(key_->pkey, "n"), R"(","e":")", Number(key_->pkey, "e"), "\"",
                        comma, members, "}");
  }
  const std::string point = Point(key_->pkey);
  return absl::StrCat(R"({"kty":"EC","crv":")", key_->curve, R"(","x":")", Base64Url(point.substr(0, point.size() / 2)),
                      R"(","y":")", Base64Url(point.substr(point.size() / 2)), "\"", comma, members, "}");
}

std::string TokenMaker::Jwks(absl::string_view members) const {
  return absl::StrCat(R"({"keys":[)", Jwk(members), "]}");
}

std::string TokenMaker::Pem() const {
  BIO* memory = BIO_new(BIO_s_mem());
  PEM_write_bio_PUBKEY(memory, key_->pkey);
  char* text = nullptr;
  const long size = BIO_get_mem_data(memory, &text);
  std::string pem(text, static_cast<size_t>(size));
  BIO_free(memory);
  return pem;
}

std::string TokenMaker::Sign(absl::string_view header, absl::string_view payload, bool pss) const {
  const std::string input = SigningInput(header, payload);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* settings = nullptr;  // the context's
  EVP_DigestSignInit(context, &settings, EVP_sha256(), nullptr, key_->pkey);
  if (pss) {
    EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST);
  }
  size_t size = 0;
  EVP_DigestSign(context, nullptr, &size, BytesOf(input), input.size());
  std::string signature(size, '\0');
  EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, BytesOf(input), input.size());
  signature.resize(size);
  EVP_MD_CTX_free(context);
  if (!key_->curve.empty()) signature = FromDer(signature, (EVP_PKEY_get_bits(key_->pkey) + 7) / 8);
  return absl::StrCat(input, ".", Base64Url(signature));
}

std::string SignBySecret(absl::string_view header, absl::string_view payload, absl::string_view secret) {
  const std::string input = SigningInput(header, payload);
  std::array<unsigned char, 32> mac;
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), BytesOf(input), input.size(), mac.data(), &size);
  return absl::StrCat(input, ".", Base64Url({reinterpret_cast<const char*>(mac.data()), size}));
}

}  // namespace aaren::identity
