// How large a share of a server each job has, as its operator says.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_JOB_WEIGHTS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_JOB_WEIGHTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// Clients say which job they are of, so a name is a claim, and anybody can make
// up as many as he likes. Hence all jobs that are not listed have one share
// together, in equal parts: names alone take nothing from those that are.
class JobWeights {
 public:
  static constexpr uint32_t kMost = 1000;

  // No job is listed; each has an equal part.
  JobWeights() = default;
  // "train-a=4,train-b=1,*=1": `*` is of all others together, 1 when left out;
  // 0: they are refused. A listed name has no ',' and no '='. INVALID_ARGUMENT
  // says what is wrong, and what allowed.
  static absl::StatusOr<JobWeights> Parse(absl::string_view text);

  bool Lists(const std::string& job) const { return listed_.contains(job); }
  bool ListsAny() const { return !listed_.empty(); }
  bool Serves(const std::string& job) const {
    return others_ > 0 || Lists(job);
  }
  // Of a listed job; of any other that of all of them together.
  uint32_t Of(const std::string& job) const {
    const auto it = listed_.find(job);
    return it == listed_.end() ? others_ : it->second;
  }

 private:
  std::map<std::string, uint32_t> listed_;
  uint32_t others_ = 1;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_JOB_WEIGHTS_H_
