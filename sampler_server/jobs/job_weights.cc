#include "sampler_server/jobs/job_weights.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tributary {
namespace {

constexpr absl::string_view kOthers = "*";

absl::Status Refuse(absl::string_view part, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", part, "' ", why, "; allowed: JOB=WEIGHT,..., weights 1 ", "to ",
      JobWeights::kMaxWeight, ", and *=WEIGHT for all other ",
      "jobs together, 0 to refuse them"));
}

}  // namespace

absl::StatusOr<JobWeights> JobWeights::Parse(absl::string_view text) {
  JobWeights weights;
  bool others_given = false;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == absl::string_view::npos || equals == 0) {
      return Refuse(part, "is no JOB=WEIGHT");
    }
    const absl::string_view job = part.substr(0, equals);
    uint32_t weight = 0;
    if (!absl::SimpleAtoi(part.substr(equals + 1), &weight) ||
        weight > kMaxWeight || (weight == 0 && job != kOthers)) {
      return Refuse(part, "has a wrong weight");
    }
    const bool first = job == kOthers
                           ? !std::exchange(others_given, true)
                           : weights.listed_.emplace(job, weight).second;
    if (!first) return Refuse(part, "names a job twice");
    if (job == kOthers) weights.others_ = weight;
  }
  if (!weights.ListsAny() && weights.others_ == 0) {
    return Refuse(text, "serves nobody");
  }
  return weights;
}

}  // namespace tributary
