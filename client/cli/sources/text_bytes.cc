#include "client/cli/sources/text_bytes.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace aaren::cli {
namespace {

constexpr size_t kHeadBytes = 4;
constexpr size_t kPackedBytes = 64 << 10;

// A source whose first bytes may be looked at before they are read.
class Peeked {
 public:
  explicit Peeked(ByteSource source) : source_(std::move(source)) {}

  // The bytes that came with the first four, or all bytes of a shorter text.
  absl::StatusOr<absl::string_view> Head() {
    head_.resize(kPackedBytes);
    size_t have = 0;
    // A pipe may give single bytes.
    while (have < kHeadBytes) {
      const absl::StatusOr<size_t> read = source_(head_.data() + have, head_.size() - have);
      if (!read.ok()) return read.status();
      if (*read == 0) break;
      have += *read;
    }
    head_.resize(have);
    return head_;
  }

  absl::StatusOr<size_t> Read(char* buffer, size_t size) {
    if (at_ == head_.size()) return source_(buffer, size);
    const size_t bytes = head_.copy(buffer, size, at_);
    at_ += bytes;
    return bytes;
  }

 private:
  ByteSource source_;
  std::string head_;
  size_t at_ = 0;
};

class Gunzip {
 public:
  // 16 more than the bits of the window tells zlib that the data have gzip's header.
  explicit Gunzip(ByteSource source) : source_(std::move(source)) { inflateInit2(&stream_, 16 + MAX_WBITS); }
  ~Gunzip() { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  absl::StatusOr<size_t> Read(char* buffer, size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    // zlib counts in 32 bits.
    stream_.avail_out = static_cast<uInt>(std::min<size_t>(size, 1 << 30));
    const uInt room = stream_.avail_out;
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0) {
        const absl::StatusOr<size_t> read = source_(packed_, kPackedBytes);
        if (!read.ok()) return read;
        if (*read == 0) return whole_ ? absl::StatusOr<size_t>(size_t{0}) : Damaged("ends in the middle");
        stream_.next_in = reinterpret_cast<Bytef*>(packed_);
        stream_.avail_in = static_cast<uInt>(*read);
      }
      if (std::exchange(whole_, false)) inflateReset(&stream_);  // another member follows
      const int result = inflate(&stream_, Z_NO_FLUSH);
      whole_ = result == Z_STREAM_END;
      // Z_BUF_ERROR asks for more input, and is no damage.
      if (!whole_ && result != Z_OK && result != Z_BUF_ERROR) return Damaged("is damaged");
    }
    return room - stream_.avail_out;
  }

 private:
  static absl::Status Damaged(absl::string_view how) {
    return absl::InvalidArgumentError(absl::StrCat("the gzip data ", how));
  }

  ByteSource source_;
  z_stream stream_ = {};
  bool whole_ = false;  // the last member is at its end
  char packed_[kPackedBytes];
};

void AppendUtf8(char32_t code, std::string& out) {
  const auto add = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

class Utf16 {
 public:
  Utf16(ByteSource source, bool big_endian) : source_(std::move(source)), big_endian_(big_endian) {}

  absl::StatusOr<size_t> Read(char* buffer, size_t size) {
    while (text_.empty()) {
      char bytes[4096];
      const absl::StatusOr<size_t> read = source_(bytes, sizeof(bytes));
      if (!read.ok() || *read == 0) return read;
      for (size_t i = 0; i < *read; ++i) Add(static_cast<uint8_t>(bytes[i]));
    }
    const size_t copied = text_.copy(buffer, size);
    text_.erase(0, copied);
    return copied;
  }

 private:
  void Add(uint8_t byte) {
    if (!std::exchange(half_, !half_)) {
      first_ = byte;
      return;
    }
    const char32_t unit = big_endian_ ? first_ << 8 | byte : byte << 8 | first_;
    // The first half of a pair waits for the second.
    if (unit >= 0xD800 && unit < 0xDC00) {
      high_ = unit;
    } else if (unit >= 0xDC00 && unit < 0xE000) {
      // The second half of a pair without the first becomes U+FFFD.
      AppendUtf8(high_ != 0 ? 0x10000 + ((high_ - 0xD800) << 10) + (unit - 0xDC00) : 0xFFFD, text_);
      high_ = 0;
    } else {
      AppendUtf8(unit, text_);
    }
  }

  ByteSource source_;
  const bool big_endian_;
  bool half_ = false;
  uint8_t first_ = 0;  // the first byte of a unit
  char32_t high_ = 0;  // the first half of a surrogate pair
  std::string text_;
};

template <typename Reader>
ByteSource ReadBy(std::shared_ptr<Reader> reader) {
  return [reader = std::move(reader)](char* buffer, size_t size) { return reader->Read(buffer, size); };
}

// Chooses at the first read, so that opening waits for nothing.
class Text {
 public:
  explicit Text(ByteSource source) : source_(std::move(source)) {}

  absl::StatusOr<size_t> Read(char* buffer, size_t size) {
    if (!std::exchange(chosen_, true)) failed_ = Choose();
    return failed_.ok() ? source_(buffer, size) : failed_;
  }

 private:
  absl::Status Choose() {
    absl::StatusOr<absl::string_view> head = Look();
    if (head.ok() && absl::StartsWith(*head, "\x1F\x8B")) {
      source_ = ReadBy(std::make_shared<Gunzip>(std::move(source_)));
      // The packed text may be UTF-16.
      head = Look();
    }
    if (!head.ok()) return head.status();
    if (absl::StartsWith(*head, "PK\x03\x04")) {
      return absl::InvalidArgumentError("is a zip archive or a spreadsheet; save the table as CSV");
    }
    const auto zero = [&](size_t i) { return (*head)[i] == '\0'; };
    const bool four = head->size() >= kHeadBytes;
    // Without a mark zeros tell: text in ASCII has a zero in every second byte of UTF-16.
    const bool little = absl::StartsWith(*head, "\xFF\xFE") || (four && !zero(0) && zero(1) && !zero(2) && zero(3));
    const bool big = absl::StartsWith(*head, "\xFE\xFF") || (four && zero(0) && !zero(1) && zero(2) && !zero(3));
    if (little || big) source_ = ReadBy(std::make_shared<Utf16>(std::move(source_), big));
    return absl::OkStatus();
  }

  absl::StatusOr<absl::string_view> Look() {
    const auto peeked = std::make_shared<Peeked>(std::move(source_));
    const absl::StatusOr<absl::string_view> head = peeked->Head();
    source_ = ReadBy(peeked);
    return head;
  }

  ByteSource source_;
  bool chosen_ = false;
  absl::Status failed_;
};

}  // namespace

ByteSource TextBytes(ByteSource source) { return ReadBy(std::make_shared<Text>(std::move(source))); }

}  // namespace aaren::cli
