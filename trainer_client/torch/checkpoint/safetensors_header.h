// The JSON header of a safetensors file: which tensor lies where.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_SAFETENSORS_HEADER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_SAFETENSORS_HEADER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/tensor/tensor_view.h"

namespace tributary {

// The bytes of a header that the format allows.
inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;

// A tensor whose data are the bytes [begin, end) after the header.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;
  uint64_t begin = 0;
  uint64_t end = 0;
  friend bool operator==(const SafetensorsEntry&,
                         const SafetensorsEntry&) = default;
};

// Texts that a file has for its reader, under "__metadata__".
using SafetensorsMetadata = std::map<std::string, std::string>;

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;
  SafetensorsMetadata metadata;
};

// Lays out tensors one after the other: by type, the widest first, then by
// name, as Hugging Face's library does. So each tensor is aligned to its
// elements, and equal tensors give equal files. Returns the entries in that
// order. INVALID_ARGUMENT, naming the tensor, if a name occurs twice, is
// "__metadata__" or no UTF-8, or if data and shape disagree.
absl::StatusOr<std::vector<SafetensorsEntry>> LayOutSafetensors(
    absl::Span<const TensorView> tensors);

// Returns what precedes the data: the length of the JSON in 8 little-endian
// bytes, and the JSON, padded with spaces to a multiple of 8 bytes.
// INVALID_ARGUMENT if the JSON is too long or a text of `metadata` is no UTF-8.
absl::StatusOr<std::string> FormatSafetensorsHeader(
    const SafetensorsHeader& header);

// Parses the JSON of a file that has `data_bytes` bytes after it. The entries
// are in ascending order of name. DATA_LOSS, naming the tensor, unless it is
// strictly of the form that the format prescribes: no key twice or unknown, and
// the tensors, each as long as its shape says, cover the data without a gap or
// an overlap. Takes memory in proportion to `json`.
absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(std::string_view json,
                                                         uint64_t data_bytes);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_SAFETENSORS_HEADER_H_
