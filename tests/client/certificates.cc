#include "tests/client/certificates.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <functional>

#include "absl/strings/str_cat.h"

namespace aaren {
namespace {

constexpr long kHour = 3600;
constexpr long kVersion3 = 2;

std::string Text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<size_t>(size));
  BIO_free(bio);
  return text;
}

std::string ToPem(X509* certificate) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(bio, certificate);
  return Text(bio);
}

std::string ToPem(EVP_PKEY* key) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  return Text(bio);
}

}  // namespace

CertificateAuthority::CertificateAuthority()
    : key_(EVP_EC_gen("P-256"), &EVP_PKEY_free),
      own_(Make("authority", key_.get(), "critical,CA:TRUE", NID_basic_constraints, -kHour, kHour)) {
  X509_set_issuer_name(own_.get(), X509_get_subject_name(own_.get()));
  X509_sign(own_.get(), key_.get(), EVP_sha256());
  cert_ = ToPem(own_.get());
}

CertificateAuthority::Certificate CertificateAuthority::Make(const std::string& name, EVP_PKEY* key,
                                                             const char* extension, int nid, long begin, long end) {
  Certificate made(X509_new(), &X509_free);
  X509_set_version(made.get(), kVersion3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), static_cast<long>(std::hash<std::string>()(name) >> 40));
  X509_gmtime_adj(X509_getm_notBefore(made.get()), begin);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), end);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_pubkey(made.get(), key);
  X509_EXTENSION* extra = X509V3_EXT_conf_nid(nullptr, nullptr, nid, extension);
  X509_add_ext(made.get(), extra, -1);
  X509_EXTENSION_free(extra);
  return made;
}

KeyedCertificate CertificateAuthority::Issue(const std::string& name, long begin, long end) const {
  const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const Certificate made = Make(name, key.get(), absl::StrCat("DNS:", name).c_str(), NID_subject_alt_name, begin, end);
  X509_set_issuer_name(made.get(), X509_get_subject_name(own_.get()));
  X509_sign(made.get(), key_.get(), EVP_sha256());
  return {ToPem(made.get()), ToPem(key.get())};
}

}  // namespace aaren
