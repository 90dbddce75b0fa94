#include "partition/schema/feature_memory.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace tributary {

std::string_view NameOf(FeatureMemory where) {
  switch (where) {
    case FeatureMemory::kResident:
      return "resident";
    case FeatureMemory::kPaged:
      return "paged";
    case FeatureMemory::kAuto:
      break;
  }
  return "auto";
}

absl::StatusOr<FeatureMemory> ParseFeatureMemory(std::string_view text) {
  for (const FeatureMemory where :
       {FeatureMemory::kAuto, FeatureMemory::kResident,
        FeatureMemory::kPaged}) {
    if (text == NameOf(where)) return where;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", std::string(text), "'; allowed: auto, resident, paged"));
}

}  // namespace tributary
