#include "server/net/tls/tls_copy.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::tls {

absl::StatusOr<std::unique_ptr<TlsCopy>> TlsCopy::Open(const TlsFiles& files) {
  std::unique_ptr<TlsCopy> copy(new TlsCopy(files));
  if (absl::Status status = copy->Refresh(); !status.ok()) return status;
  return copy;
}

absl::Status TlsCopy::Refresh() {
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files_);
  if (!texts.ok()) return texts.status();
  if (*texts == texts_) return absl::OkStatus();
  absl::Status status = pair_.Set(absl::StrCat(texts->key, "\n", texts->cert));
  if (status.ok() && !files_.client_ca.empty()) status = client_ca_.Set(texts->client_ca);
  if (status.ok()) texts_ = *std::move(texts);
  return status;
}

}  // namespace aaren::tls
