// The graphs that each job may read: the file of --policy.
#ifndef TRIBUTARY_SAMPLER_SERVER_ACCESS_ACCESS_POLICY_H_
#define TRIBUTARY_SAMPLER_SERVER_ACCESS_ACCESS_POLICY_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/fleet/graph_name.h"
#include "common/hash/sha256.h"

namespace tributary {

// A value, parsed from JSON:
//
//   {"jobs": {"train-a": ["cora", "papers@1f2e"], "*": ["public"]}}
//
// A job may read the graphs of its list: NAME for all versions of a graph,
// NAME@VERSION for those whose content digest begins with VERSION, "*" for all
// graphs. A job that is not listed has the list of "*", or else may read
// nothing.
class AccessPolicy {
 public:
  static constexpr size_t kMaxBytes = size_t{1} << 20;  // of the text
  static constexpr size_t kMaxJobs = 4096;
  static constexpr size_t kMaxGraphsPerJob = 256;

  // Parses `text`; `where` names its file in messages, also those of refusals.
  // INVALID_ARGUMENT, with what is wrong, where, and what is allowed, for
  // anything else than the above: other keys, keys that occur twice, too much.
  static absl::StatusOr<AccessPolicy> Parse(std::string_view text,
                                            std::string where);

  bool MayRead(const std::string& job, std::string_view graph,
               const Sha256Digest& content) const;

  const std::string& where() const { return where_; }
  size_t num_jobs() const { return jobs_.size(); }

 private:
  struct Graphs {
    bool all = false;
    std::vector<GraphName> names;
  };
  friend class PolicyReader;

  std::string where_;
  std::map<std::string, Graphs> jobs_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ACCESS_ACCESS_POLICY_H_
