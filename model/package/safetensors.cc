#include "model/package/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/package/json_fields.h"

namespace aaren::package {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "safetensors data is copied as it is");

constexpr char kMetadata[] = "__metadata__";

// The type of the numbers in the file. A bfloat16 is the upper half of a float.
enum class Dtype { kF32, kBf16 };

const char* NameOf(Dtype dtype) { return dtype == Dtype::kF32 ? "F32" : "BF16"; }
size_t SizeOf(Dtype dtype) { return dtype == Dtype::kF32 ? sizeof(float) : sizeof(uint16_t); }

// A tensor as the header describes it: the tensor's data are the bytes [begin, end).
struct Entry {
  std::string name;
  Dtype dtype = Dtype::kF32;
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

absl::Status Invalid(absl::string_view tensor, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("tensor ", tensor, " ", message));
}

// The number of bytes that a shape needs, or limit + 1 if the shape needs more than `limit`.
uint64_t BytesOf(Dtype dtype, const std::vector<int64_t>& shape, uint64_t limit) {
  uint64_t bytes = SizeOf(dtype);
  for (int64_t size : shape) {
    // A tensor without numbers takes no bytes, whatever its other sizes, and must not be divided by.
    if (size == 0) return 0;
    // The division comes before the product: a product of foreign sizes could overflow and look small.
    if (bytes > limit / static_cast<uint64_t>(size)) return limit + 1;
    bytes *= static_cast<uint64_t>(size);
  }
  return bytes;
}

absl::StatusOr<Entry> ParseEntry(const std::string& name, const json& value) {
  Entry entry;
  entry.name = name;
  std::string dtype;
  std::vector<int64_t> offsets;
  JsonFields fields(value, name);
  fields.Read("dtype", dtype);
  fields.Read("shape", entry.shape);
  fields.Read("data_offsets", offsets);
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  if (dtype != "F32" && dtype != "BF16") {
    return Invalid(name, absl::StrCat("has dtype ", dtype, ", neither F32 nor BF16"));
  }
  entry.dtype = dtype == "F32" ? Dtype::kF32 : Dtype::kBf16;
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    return Invalid(name, absl::StrCat("has data_offsets [", absl::StrJoin(offsets, ", "), "], not [begin, end]"));
  }
  entry.begin = static_cast<uint64_t>(offsets[0]);
  entry.end = static_cast<uint64_t>(offsets[1]);
  return entry;
}

// The entries of the header, in the order of the data.
absl::StatusOr<std::vector<Entry>> ParseHeader(absl::string_view text) {
  absl::StatusOr<json> header = ParseJson(text);
  if (!header.ok()) return absl::InvalidArgumentError(absl::StrCat("the header ", header.status().message()));
  if (!header->is_object()) return absl::InvalidArgumentError("the header is not a JSON object");
  std::vector<Entry> entries;
  for (const auto& [name, value] : header->items()) {
    if (name == kMetadata) continue;  // free text, which nothing depends on
    absl::StatusOr<Entry> entry = ParseEntry(name, value);
    if (!entry.ok()) return entry.status();
    entries.push_back(*std::move(entry));
  }
  // A JSON object has no order of its own; sorting by offset puts the entries into the order of the data.
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  return entries;
}

// Checks that the entries cover `size` bytes without gap or overlap, each with as many bytes as its shape needs.
absl::Status CheckLayout(const std::vector<Entry>& entries, uint64_t size) {
  uint64_t covered = 0;
  for (const Entry& entry : entries) {
    // Begin must equal the end before, so a gap and an overlap are the same fault.
    if (entry.begin != covered) {
      return Invalid(entry.name,
                     absl::StrCat("begins at byte ", entry.begin, ", but the tensor before it ends at ", covered));
    }
    if (entry.end > size) {
      return absl::DataLossError(
          absl::StrCat("tensor ", entry.name, " ends at byte ", entry.end, ", but there are only ", size));
    }
    const uint64_t needed = BytesOf(entry.dtype, entry.shape, size);
    if (needed != entry.end - entry.begin) {
      return Invalid(entry.name, absl::StrCat("has ", entry.end - entry.begin, " bytes, but its shape [",
                                              absl::StrJoin(entry.shape, ", "), "] does not take as many"));
    }
    covered = entry.end;
  }
  if (covered == size) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the data has ", size, " bytes, but the tensors end at ", covered));
}

Tensor CopyTensor(const Entry& entry, absl::string_view data) {
  const size_t size = SizeOf(entry.dtype);
  Tensor tensor{.shape = entry.shape, .data = std::vector<float>((entry.end - entry.begin) / size)};
  const char* number = data.data() + entry.begin;
  for (float& value : tensor.data) {
    uint32_t bits = 0;
    // A bfloat16 fills the upper bytes of the float, which are the last in little-endian order.
    std::memcpy(reinterpret_cast<char*>(&bits) + (sizeof(bits) - size), number, size);
    value = std::bit_cast<float>(bits);
    number += size;
  }
  return tensor;
}

// The smaller dtype if every number fits, else float32.
Dtype DtypeOf(const Tensor& tensor) {
  const bool halved = std::all_of(tensor.data.begin(), tensor.data.end(),
                                  [](float value) { return (std::bit_cast<uint32_t>(value) & 0xffff) == 0; });
  return halved ? Dtype::kBf16 : Dtype::kF32;
}

// Tensors with four bytes a number come first, so that all tensors lie at a multiple of their number's size.
std::vector<Entry> LayOut(const std::map<std::string, Tensor>& tensors) {
  std::vector<Entry> entries;
  for (const auto& [name, tensor] : tensors) {
    entries.push_back({.name = name, .dtype = DtypeOf(tensor), .shape = tensor.shape});
  }
  // A stable sort keeps names in order among equal types, so the same tensors always give the same bytes.
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.dtype < b.dtype; });
  uint64_t end = 0;
  for (Entry& entry : entries) {
    entry.begin = end;
    entry.end = end += tensors.at(entry.name).data.size() * SizeOf(entry.dtype);
  }
  return entries;
}

void AppendData(const Entry& entry, const Tensor& tensor, std::string& bytes) {
  const size_t size = SizeOf(entry.dtype);
  for (float value : tensor.data) {
    bytes.append(reinterpret_cast<const char*>(&value) + (sizeof(value) - size), size);
  }
}

}  // namespace

absl::StatusOr<std::map<std::string, Tensor>> ParseSafetensors(absl::string_view bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof(length)) {
    return absl::DataLossError(absl::StrCat("the file has ", bytes.size(), " bytes, not even a header's length"));
  }
  std::memcpy(&length, bytes.data(), sizeof(length));
  bytes.remove_prefix(sizeof(length));
  if (length > kMaxSafetensorsHeader) {
    return absl::InvalidArgumentError(
        absl::StrCat("the header claims ", length, " bytes, more than ", kMaxSafetensorsHeader));
  }
  if (length > bytes.size()) {
    return absl::DataLossError(absl::StrCat("the header claims ", length, " bytes, but ", bytes.size(), " follow"));
  }
  absl::StatusOr<std::vector<Entry>> entries = ParseHeader(bytes.substr(0, length));
  if (!entries.ok()) return entries.status();
  // Layout is checked as a whole before the first copy, so a copy never reads outside the data.
  const absl::string_view data = bytes.substr(length);
  if (absl::Status status = CheckLayout(*entries, data.size()); !status.ok()) return status;
  std::map<std::string, Tensor> tensors;
  for (const Entry& entry : *entries) tensors[entry.name] = CopyTensor(entry, data);
  return tensors;
}

std::string FormatSafetensors(const std::map<std::string, Tensor>& tensors) {
  const std::vector<Entry> entries = LayOut(tensors);
  json header = json::object();
  for (const Entry& entry : entries) {
    header[entry.name] = {
        {"dtype", NameOf(entry.dtype)}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // Other readers map the data and want it aligned.
  const uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes.reserve(bytes.size() + text.size() + (entries.empty() ? 0 : entries.back().end));
  bytes += text;
  for (const Entry& entry : entries) AppendData(entry, tensors.at(entry.name), bytes);
  return bytes;
}

}  // namespace aaren::package
