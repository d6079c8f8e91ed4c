#include "server/net/tls/tls_files.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/machine/file/regular_file.h"

namespace aaren::tls {
namespace {

using Text = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

constexpr size_t kMostBytes = 1 << 20;  // a chain of certificates takes some KB

absl::Status ReadText(const std::string& path, std::string& text) {
  if (path.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> read = file::ReadRegularFile(path, kMostBytes);
  if (read.ok()) text = *std::move(read);
  return read.status();
}

// OpenSSL's reasons name OpenSSL's parts; errors from here name the file.
absl::Status Bad(const std::string& path, absl::string_view problem) {
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(path, " ", problem));
}

Text TextOf(const std::string& pem) { return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free}; }

// The next certificate; null at the end, or at anything else.
Certificate NextCertificate(BIO* text) { return {PEM_read_bio_X509_AUX(text, nullptr, nullptr, nullptr), &X509_free}; }

// True if the text ended behind the last certificate, and not within the next.
bool EndedWhole() {
  const unsigned long error = ERR_peek_last_error();
  return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

// The first certificate, if the text holds certificates and all of them can be read.
Certificate ReadCertificates(const std::string& pem) {
  ERR_clear_error();
  const Text text = TextOf(pem);
  Certificate first = NextCertificate(text.get());
  while (first != nullptr && NextCertificate(text.get()) != nullptr) {
  }
  if (!EndedWhole()) first.reset();
  ERR_clear_error();
  return first;
}

Key ReadKey(const std::string& pem) {
  // Without a callback OpenSSL asks for a passphrase at the terminal.
  const auto nobody_is_asked = [](char*, int, int, void*) { return -1; };
  return {PEM_read_bio_PrivateKey(TextOf(pem).get(), nullptr, nobody_is_asked, nullptr), &EVP_PKEY_free};
}

absl::Status CheckPair(const TlsFiles& files, const TlsTexts& texts) {
  const Certificate certificate = ReadCertificates(texts.cert);
  if (certificate == nullptr) return Bad(files.cert, "holds no certificate in PEM format, or part of one");
  // Zero stands for a time that cannot be read.
  if (X509_cmp_current_time(X509_get0_notBefore(certificate.get())) > 0) return Bad(files.cert, "is not valid yet");
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0) return Bad(files.cert, "has expired");
  const Key key = ReadKey(texts.key);
  if (key == nullptr) return Bad(files.key, "holds no private key in PEM format without a passphrase");
  if (X509_check_private_key(certificate.get(), key.get()) == 1) return absl::OkStatus();
  return Bad(files.key, absl::StrCat("is not the key of the certificate ", files.cert));
}

}  // namespace

absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files) {
  if (files.cert.empty() || files.key.empty()) {
    return absl::InvalidArgumentError("TLS needs both tls_cert and tls_key, a certificate and its key");
  }
  TlsTexts texts;
  absl::Status status = ReadText(files.cert, texts.cert);
  status.Update(ReadText(files.key, texts.key));
  status.Update(ReadText(files.client_ca, texts.client_ca));
  if (status.ok()) status = CheckPair(files, texts);
  if (status.ok() && !files.client_ca.empty() && ReadCertificates(texts.client_ca) == nullptr) {
    status = Bad(files.client_ca, "holds no certificate in PEM format, or part of one");
  }
  if (!status.ok()) return status;
  return texts;
}

}  // namespace aaren::tls
