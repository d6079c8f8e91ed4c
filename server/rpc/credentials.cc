#include "server/rpc/credentials.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_credentials_options.h"

namespace aaren::rpc {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

constexpr unsigned kLookSeconds = 10;

absl::Status CheckReadable(const std::string& path) {
  if (access(path.c_str(), R_OK) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
}

// OpenSSL's reasons are of its own parts; ours name the file.
absl::Status Bad(const std::string& path, absl::string_view problem) {
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(path, " ", problem));
}

absl::Status CheckPair(const std::string& cert, const std::string& key) {
  const Context context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return -1; });  // nobody is asked
  if (SSL_CTX_use_certificate_chain_file(context.get(), cert.c_str()) != 1) {
    return Bad(cert, "holds no certificate in PEM format");
  }
  const ASN1_TIME* end = X509_get0_notAfter(SSL_CTX_get0_certificate(context.get()));
  if (X509_cmp_current_time(end) < 0) return Bad(cert, "has expired");
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) == 1) return absl::OkStatus();
  const bool other = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
  return other ? Bad(key, absl::StrCat("is not the key of the certificate ", cert))
               : Bad(key, "holds no private key in PEM format without a passphrase");
}

absl::Status CheckAuthority(const std::string& path) {
  const Context context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (SSL_CTX_load_verify_locations(context.get(), path.c_str(), nullptr) == 1) return absl::OkStatus();
  return Bad(path, "holds no certificate in PEM format");
}

absl::Status Check(const TlsFiles& files) {
  if (files.cert.empty() || files.key.empty()) {
    return absl::InvalidArgumentError("TLS needs both tls_cert and tls_key, a certificate and its key");
  }
  for (const std::string& path : {files.cert, files.key, files.client_ca}) {
    if (path.empty()) continue;
    if (absl::Status status = CheckReadable(path); !status.ok()) return status;
  }
  if (absl::Status status = CheckPair(files.cert, files.key); !status.ok()) return status;
  return files.client_ca.empty() ? absl::OkStatus() : CheckAuthority(files.client_ca);
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeCredentials(const TlsFiles& files) {
  if (files.cert.empty() && files.key.empty() && files.client_ca.empty()) return grpc::InsecureServerCredentials();
  if (absl::Status status = Check(files); !status.ok()) return status;
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(files.key, files.cert, files.client_ca,
                                                                           kLookSeconds));
  options.watch_identity_key_cert_pairs();
  if (!files.client_ca.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

}  // namespace aaren::rpc
