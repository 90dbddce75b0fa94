#include "sampler_server/access/access_policy.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/identity/identity.h"
#include "common/json/json_object.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "nlohmann/json.hpp"

namespace tributary {

using Json = nlohmann::json;

namespace {

constexpr char kOthers[] = "*";
constexpr char kShape[] =
    R"({"jobs": {"JOB": ["NAME", "NAME@VERSION"], "*": ["*"]}})";

std::string Quoted(const std::string& text) {
  return absl::StrCat("'", TerminalLine(text), "'");
}

}  // namespace

class PolicyReader {
 public:
  explicit PolicyReader(AccessPolicy* policy) : policy_(*policy) {}

  absl::Status Read(std::string_view text) {
    if (text.size() > AccessPolicy::kMaxBytes) {
      return PolicyError(
          absl::StrCat("it has ", text.size(),
                       " bytes; allowed: ", AccessPolicy::kMaxBytes));
    }
    const std::string origin = absl::StrCat("policy ", policy_.where_);
    ASSIGN_OR_RETURN(const Json json,
                     ParseJson({text.data(), text.size()}, origin));
    JsonObject in(json, origin);
    const Json& jobs = in.Get("jobs");
    in.RefuseOthers();
    RETURN_IF_ERROR(in.status());
    if (jobs.is_object()) return ReadJobs(jobs);
    return PolicyError(absl::StrCat("jobs is no object; allowed: ", kShape));
  }

 private:
  absl::Status PolicyError(const std::string& what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("policy ", policy_.where_, ": ", what));
  }

  absl::Status ReadJobs(const Json& jobs) {
    if (jobs.size() > AccessPolicy::kMaxJobs) {
      return PolicyError(absl::StrCat(
          jobs.size(), " jobs; allowed: ", AccessPolicy::kMaxJobs));
    }
    for (const auto& [job, graphs] : jobs.items()) {
      if (job.empty() || job.size() > kMaxIdentityName) {
        return PolicyError(absl::StrCat("a job's name of ", job.size(),
                                        " bytes; allowed: 1 to ",
                                        kMaxIdentityName));
      }
      RETURN_IF_ERROR(ReadGraphs(job, graphs));
    }
    return absl::OkStatus();
  }

  absl::Status ReadGraphs(const std::string& job, const Json& graphs) {
    if (!graphs.is_array() || graphs.size() > AccessPolicy::kMaxGraphsPerJob) {
      return PolicyError(absl::StrCat(
          "job ", Quoted(job), ": allowed is a list of ", "at most ",
          AccessPolicy::kMaxGraphsPerJob, " graphs, such as [\"NAME\"]"));
    }
    AccessPolicy::Graphs& allowed = policy_.jobs_[job];
    for (const Json& graph : graphs) {
      if (!graph.is_string()) {
        return PolicyError(absl::StrCat("job ", Quoted(job), ": graph ",
                                        TerminalLine(graph.dump()),
                                        " is no text; allowed: \"NAME\", "
                                        "\"NAME@VERSION\" or \"*\""));
      }
      RETURN_IF_ERROR(ReadGraph(job, graph.get<std::string>(), allowed));
    }
    return absl::OkStatus();
  }

  absl::Status ReadGraph(const std::string& job, const std::string& graph,
                         AccessPolicy::Graphs& allowed) {
    if (graph == "*") {
      allowed.all = true;
      return absl::OkStatus();
    }
    const auto name = GraphName::Parse(graph);
    if (name.ok() && !name->name.empty() &&
        graph.find('*') == std::string::npos) {
      allowed.names.push_back(*name);
      return absl::OkStatus();
    }
    return PolicyError(absl::StrCat(
        "job ", Quoted(job), ": graph ", Quoted(graph),
        "; allowed: NAME, NAME@VERSION with the first digits of its content "
        "digest, 1 to 64 of 0-9 and a-f, or * for all graphs"));
  }

  AccessPolicy& policy_;
};

absl::StatusOr<AccessPolicy> AccessPolicy::Parse(std::string_view text,
                                                 std::string where) {
  AccessPolicy policy;
  policy.where_ = std::move(where);
  RETURN_IF_ERROR(PolicyReader(&policy).Read(text));
  return policy;
}

bool AccessPolicy::MayRead(const std::string& job, std::string_view graph,
                           const Sha256Digest& content) const {
  auto it = jobs_.find(job);
  if (it == jobs_.end()) it = jobs_.find(kOthers);
  if (it == jobs_.end()) return false;
  const Graphs& graphs = it->second;
  return graphs.all || std::any_of(graphs.names.begin(), graphs.names.end(),
                                   [&](const GraphName& name) {
                                     return name.Matches(graph, content);
                                   });
}

}  // namespace tributary
