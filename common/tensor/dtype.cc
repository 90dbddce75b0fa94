#include "common/tensor/dtype.h"

#include <array>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

struct Entry {
  std::string_view name;
  size_t size;
};

// Indexed by code; code 0 is unused.
constexpr std::array<Entry, 11> kEntries = {{{"invalid", 0},
                                             {"uint8", 1},
                                             {"int8", 1},
                                             {"int16", 2},
                                             {"int32", 4},
                                             {"int64", 8},
                                             {"float16", 2},
                                             {"bfloat16", 2},
                                             {"float32", 4},
                                             {"float64", 8},
                                             {"bool", 1}}};

const Entry& EntryOf(DType dtype) {
  const auto code = static_cast<size_t>(dtype);
  return kEntries[code < kEntries.size() ? code : 0];
}

}  // namespace

size_t DTypeSize(DType dtype) { return EntryOf(dtype).size; }

std::string_view DTypeName(DType dtype) { return EntryOf(dtype).name; }

bool IsFloating(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 ||
         dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

absl::StatusOr<DType> DTypeFromCode(uint32_t code) {
  if (code == 0 || code >= kEntries.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("dtype code ", code, " is unknown; allowed: 1 to ",
                     kEntries.size() - 1));
  }
  return static_cast<DType>(code);
}

absl::StatusOr<DType> DTypeFromName(std::string_view name) {
  for (size_t code = 1; code < kEntries.size(); ++code) {
    if (kEntries[code].name == name) return static_cast<DType>(code);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("dtype '", std::string(name),
                   "' is unknown; allowed: uint8, int8, int16, int32, int64, "
                   "float16, bfloat16, float32, float64, bool"));
}

}  // namespace tributary
