#include "common/session/feature_dtype.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr FeatureDType kAll[] = {FeatureDType::kStored, FeatureDType::kFloat16,
                                 FeatureDType::kBFloat16, FeatureDType::kInt8};

absl::Status Refuse(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "feature_dtype: ", what, "; allowed: ", std::string(kFeatureDTypeNames)));
}

}  // namespace

std::string_view FeatureDTypeName(FeatureDType dtype) {
  return dtype == FeatureDType::kStored ? "stored"
                                        : DTypeName(static_cast<DType>(dtype));
}

absl::StatusOr<FeatureDType> FeatureDTypeFromName(std::string_view name) {
  for (const FeatureDType dtype : kAll) {
    if (FeatureDTypeName(dtype) == name) return dtype;
  }
  return Refuse(absl::StrCat("\"", std::string(name), "\""));
}

absl::StatusOr<FeatureDType> FeatureDTypeFromCode(uint32_t code) {
  for (const FeatureDType dtype : kAll) {
    if (static_cast<uint32_t>(dtype) == code) return dtype;
  }
  return Refuse(absl::StrCat("code ", code));
}

DType DTypeInBatch(DType stored, FeatureDType asked) {
  if (asked == FeatureDType::kStored || !IsFloating(stored)) return stored;
  return static_cast<DType>(asked);
}

bool HasScale(DType stored, FeatureDType asked) {
  return asked == FeatureDType::kInt8 && IsFloating(stored);
}

}  // namespace tributary
