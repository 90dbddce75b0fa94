// The shares of a server that its operator gives to jobs (--job-weights).
#ifndef TRIBUTARY_SAMPLER_SERVER_JOBS_JOB_WEIGHTS_H_
#define TRIBUTARY_SAMPLER_SERVER_JOBS_JOB_WEIGHTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tributary {

// A value: the weights of the listed jobs, and one weight for all others.
// Clients name their own job, so a name is only a claim, and a client can make
// up any number of names. Hence all jobs that are not listed have one share
// together, in equal parts: new names take nothing from listed jobs.
class JobWeights {
 public:
  static constexpr uint32_t kMaxWeight = 1000;

  // Lists no job; each has an equal part.
  JobWeights() = default;
  // Parses "train-a=4,train-b=1,*=1". `*` is the weight of all others together,
  // 1 when left out; with 0 they are refused. A listed name has no ',' and no
  // '='. INVALID_ARGUMENT says what is wrong and what is allowed.
  static absl::StatusOr<JobWeights> Parse(absl::string_view text);

  bool Lists(const std::string& job) const { return listed_.contains(job); }
  bool ListsAny() const { return !listed_.empty(); }
  bool Serves(const std::string& job) const {
    return others_ > 0 || Lists(job);
  }
  // Returns the weight of a listed job, or that of all others together.
  uint32_t WeightOf(const std::string& job) const {
    const auto it = listed_.find(job);
    return it == listed_.end() ? others_ : it->second;
  }
  // Returns the sum of the weights of all listed jobs and of the others.
  uint64_t TotalWeight() const {
    uint64_t total = others_;
    for (const auto& [job, weight] : listed_) total += weight;
    return total;
  }

 private:
  std::map<std::string, uint32_t> listed_;
  uint32_t others_ = 1;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_JOBS_JOB_WEIGHTS_H_
