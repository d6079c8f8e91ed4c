#include "aaren/client/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cpp/channel/channel.h"

namespace aaren::client {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const bool open = file.is_open();
  std::string text;
  char buffer[4096];
  while (open && (file.read(buffer, sizeof(buffer)) || file.gcount() > 0)) {
    text.append(buffer, static_cast<size_t>(file.gcount()));
  }
  if (!open || file.bad()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  return text;
}

Bio Open(const std::string& pem) { return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free); }

// The first certificate; null without a certificate.
Certificate FirstCertificate(const std::string& pem) {
  const Bio bio = Open(pem);
  return Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), &X509_free);
}

// Nobody is asked for a passphrase: a key that needs one is not read.
Key PrivateKey(const std::string& pem) {
  const auto no_passphrase = [](char*, int, int, void*) { return -1; };
  const Bio bio = Open(pem);
  return Key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr), &EVP_PKEY_free);
}

absl::StatusOr<std::string> ReadCertificates(const std::string& path) {
  absl::StatusOr<std::string> pem = ReadFile(path);
  if (!pem.ok() || FirstCertificate(*pem)) return pem;
  // OpenSSL's queue of errors belongs to the thread: gRPC might take a leftover for an error of a connection.
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(path, " holds no certificate in PEM format"));
}

absl::StatusOr<std::string> ReadKey(const std::string& path) {
  absl::StatusOr<std::string> pem = ReadFile(path);
  if (!pem.ok() || PrivateKey(*pem)) return pem;
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(path, " holds no private key in PEM format without a passphrase"));
}

absl::Status ReadOwn(const TlsFiles& files, grpc::SslCredentialsOptions& options) {
  const absl::StatusOr<std::string> cert = ReadCertificates(files.cert);
  if (!cert.ok()) return cert.status();
  const absl::StatusOr<std::string> key = ReadKey(files.key);
  if (!key.ok()) return key.status();
  // gRPC would take the pair, and fail at every connection without naming the files.
  if (X509_check_private_key(FirstCertificate(*cert).get(), PrivateKey(*key).get()) != 1) {
    ERR_clear_error();
    return absl::InvalidArgumentError(absl::StrCat(files.key, " is not the key of the certificate ", files.cert));
  }
  options.pem_cert_chain = *cert;
  options.pem_private_key = *key;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Credentials> ReadTls(const TlsFiles& files) {
  if (files.cert.empty() != files.key.empty()) {
    return absl::InvalidArgumentError(files.key.empty()
                                          ? absl::StrCat("the certificate ", files.cert, " needs its key")
                                          : absl::StrCat("the key ", files.key, " needs its certificate"));
  }
  grpc::SslCredentialsOptions options;
  if (!files.ca.empty()) {
    absl::StatusOr<std::string> ca = ReadCertificates(files.ca);
    if (!ca.ok()) return ca.status();
    options.pem_root_certs = *std::move(ca);
  }
  const absl::Status own = files.cert.empty() ? absl::OkStatus() : ReadOwn(files, options);
  if (!own.ok()) return own;
  return Credentials(std::make_shared<Credentials::Made>(grpc::SslCredentials(options)));
}

}  // namespace aaren::client
