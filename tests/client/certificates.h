#ifndef AAREN_TESTS_CLIENT_CERTIFICATES_H_
#define AAREN_TESTS_CLIENT_CERTIFICATES_H_

// Certificates for a test: an authority signs certificates of servers and clients. Threading: plain values.

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace aaren {

// PEM texts.
struct KeyedCertificate {
  std::string cert;
  std::string key;
};

class CertificateAuthority {
 public:
  CertificateAuthority();

  // The authority's own certificate, which verifies issued certificates.
  const std::string& cert() const { return cert_; }

  // A certificate of the host `name`, good for a server and a client, from `begin` until `end`: seconds from now.
  KeyedCertificate Issue(const std::string& name, long begin = -3600, long end = 3600) const;

 private:
  using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
  using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
  static Certificate Make(const std::string& name, EVP_PKEY* key, const char* extension, int nid, long begin, long end);

  Key key_;
  Certificate own_;
  std::string cert_;
};

}  // namespace aaren

#endif  // AAREN_TESTS_CLIENT_CERTIFICATES_H_
