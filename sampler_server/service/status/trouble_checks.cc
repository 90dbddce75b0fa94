#include "sampler_server/service/status/trouble_checks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/status/trouble_text.h"
#include "common/text/fit_text.h"
#include "common/text/named_list.h"

namespace tributary {
namespace {

// A trainer that waits for more than this share of its time is held up.
constexpr double kWaits = 0.3;
// A server that is as busy as this is why: autoscalers aim at it.
constexpr double kBusy = 0.8;
constexpr double kBudgetFull = 0.9;
constexpr absl::Duration kMemoryWait = absl::Seconds(1);
constexpr absl::Duration kCertificateNotice = absl::Hours(15 * 24);
constexpr size_t kMaxNamed = 3;

// What a check has found; no text: nothing.
struct Found {
  std::string text;
  uint64_t count = 0;
};
struct Check {
  const char* code;
  Found (*find)(const StatusInput& input);
};

std::string Few(const std::vector<std::string>& names) {
  return NamedList(names, kMaxNamed);
}

std::string Percent(double ratio) {
  return absl::StrCat(std::lround(100 * ratio), "%");
}

std::string Megabytes(uint64_t bytes) {
  return absl::StrCat((bytes + 500'000) / 1'000'000, " MB");
}

struct NamedCount {
  absl::string_view name;
  uint64_t count = 0;
};

// "7 policy, 2 job", of those that are not 0.
Found ByReason(absl::Span<const NamedCount> counts) {
  Found found;
  for (const NamedCount& one : counts) {
    if (one.count == 0) continue;
    absl::StrAppend(&found.text, found.text.empty() ? "" : ", ", one.count, " ",
                    one.name);
    found.count += one.count;
  }
  return found;
}

Found NoOwner(const StatusInput& input) {
  for (const GraphFacts& graph : input.graphs) {
    std::vector<bool> owned(graph.num_partitions, false);
    const auto own = [&owned](uint32_t p) {
      if (p < owned.size()) owned[p] = true;
    };
    const bool serves =
        !input.draining && !graph.retiring && graph.damage.empty();
    if (serves) std::for_each(graph.owned.begin(), graph.owned.end(), own);
    std::for_each(graph.elsewhere.begin(), graph.elsewhere.end(), own);
    // What is on its way out is missed by nobody.
    if (graph.retiring || input.draining) continue;
    std::vector<uint32_t> missing;
    for (uint32_t p = 0; p < owned.size(); ++p) {
      if (!owned[p]) missing.push_back(p);
    }
    if (missing.empty()) continue;
    return {NoOwnerText(graph.name, missing, graph.num_partitions)};
  }
  return {};
}

Found ServerSilent(const StatusInput& input) {
  if (input.facts.silent_peers.empty()) return {};
  return {SilentText(input.facts.silent_peers)};
}

Found GraphDamaged(const StatusInput& input) {
  for (const GraphFacts& graph : input.graphs) {
    if (graph.damage.empty()) continue;
    return {absl::StrCat(graph.name, ": ", graph.damage)};
  }
  return {};
}

Found DiskErrors(const StatusInput& input) {
  const uint64_t count = input.recent[kDiskErrors];
  if (count == 0) return {};
  return {absl::StrCat("pieces of files that could not be read: ", count),
          count};
}

Found BatchesFail(const StatusInput& input) {
  Found found;
  std::string error;
  std::vector<std::string> jobs;
  for (const JobFigures& job : input.activity) {
    if (job.failed == 0) continue;
    found.count += job.failed;
    jobs.push_back(absl::StrCat(job.job, " ", job.failed));
    error = job.last_error;
  }
  if (found.count > 0) {
    found.text = absl::StrCat("batches that failed, by job: ", Few(jobs),
                              "; the last error: ", error);
  }
  return found;
}

Found PolicyBroken(const StatusInput& input) {
  if (!input.facts.policy_broken) return {};
  return {"the policy's file cannot be read or parsed"};
}

Found GraphsUnserved(const StatusInput& input) {
  if (input.facts.graphs_unserved == 0) return {};
  return {absl::StrCat("listed and not served: ", input.facts.graphs_unserved)};
}

Found CertificateEnds(const StatusInput& input) {
  const absl::Duration left = input.facts.certificate_left;
  if (left > kCertificateNotice) return {};
  if (left < absl::ZeroDuration()) {
    return {"this server's certificate has ended"};
  }
  return {absl::StrCat("this server's certificate ends in ",
                       absl::ToInt64Hours(left) / 24, " days")};
}

Found MemoryWaits(const StatusInput& input) {
  const absl::Duration waited = input.now - input.memory_wanted_since;
  if (waited < kMemoryWait) return {};
  return {absl::StrCat("a batch has waited ", absl::ToInt64Seconds(waited),
                       " s for memory; in use are ",
                       Megabytes(input.memory_used), " of ",
                       Megabytes(input.memory_budget))};
}

Found BudgetFull(const StatusInput& input) {
  std::vector<std::string> full;
  for (const BudgetState& budget : input.budgets) {
    if (budget.limit == 0) continue;
    const double share =
        static_cast<double>(budget.used) / static_cast<double>(budget.limit);
    if (share < kBudgetFull) continue;
    full.push_back(absl::StrCat(budget.name, " ", Percent(share), " of ",
                                Megabytes(budget.limit)));
  }
  return {Few(full)};
}

Found QueueFull(const StatusInput& input) {
  return ByReason({{"for want of a place", input.recent[kRefusedQueue]}});
}

Found CreditsRefused(const StatusInput& input) {
  const uint64_t all = input.recent[kCreditsRefused];
  const uint64_t queue = input.recent[kRefusedQueue];
  if (all <= queue) return {};
  return ByReason({{"for other reasons than a full queue", all - queue}});
}

Found CallersRefused(const StatusInput& input) {
  const CountedTotals& recent = input.recent;
  return ByReason({{"policy", recent[kRefusedPolicy]},
                   {"job", recent[kRefusedJob]},
                   {"farewell", recent[kRefusedFarewell]},
                   {"attempt", recent[kRefusedAttempt]}});
}

Found ConnectionsRefused(const StatusInput& input) {
  std::vector<NamedCount> counts;
  for (size_t i = 0; i < std::size(kConnectionReasons); ++i) {
    counts.push_back({kConnectionReasons[i], input.recent[kConnections + i]});
  }
  return ByReason(counts);
}

Found StreamsRefused(const StatusInput& input) {
  return ByReason({{"too_many", input.recent[kStreamsTooMany]},
                   {"caller_share", input.recent[kStreamsOfCaller]}});
}

Found StreamsClosed(const StatusInput& input) {
  return ByReason({{"held_up", input.recent[kHeldUp]},
                   {"unread_answers", input.recent[kUnread]},
                   {"unhandled_messages", input.recent[kFlooded]}});
}

Found PeerCallsFail(const StatusInput& input) {
  return ByReason(
      {{"requests answered by an error", input.recent[kLeafErrors]}});
}

Found TrainersWait(const StatusInput& input) {
  std::vector<std::string> jobs;
  for (const auto& [job, ratio] : input.waits) {
    if (ratio > kWaits) jobs.push_back(absl::StrCat(job, " ", Percent(ratio)));
  }
  if (jobs.empty()) return {};
  return {absl::StrCat("waiting for batches, by job: ", Few(jobs),
                       "; this server is ", Percent(input.busy_ratio),
                       " busy")};
}

Found TrainersWaitIdle(const StatusInput& input) {
  return input.busy_ratio < kBusy ? TrainersWait(input) : Found{};
}

Found TrainersWaitBusy(const StatusInput& input) {
  return input.busy_ratio < kBusy ? Found{} : TrainersWait(input);
}

Found Draining(const StatusInput& input) {
  if (!input.draining) return {};
  return {absl::StrCat(input.active, " batches are left")};
}

// For everybody, then those that name other jobs or callers.
constexpr Check kForTrainers[] = {
    {"batches_fail", BatchesFail},
    {"trainers_wait_busy", TrainersWaitBusy},
    {"trainers_wait", TrainersWaitIdle},
};
constexpr Check kForOperators[] = {
    {"no_owner", NoOwner},
    {"server_silent", ServerSilent},
    {"graph_damaged", GraphDamaged},
    {"disk_errors", DiskErrors},
    {"policy_broken", PolicyBroken},
    {"graphs_unserved", GraphsUnserved},
    {"certificate_ends", CertificateEnds},
    {"memory_waits", MemoryWaits},
    {"budget_full", BudgetFull},
    {"queue_full", QueueFull},
    {"credits_refused", CreditsRefused},
    {"callers_refused", CallersRefused},
    {"connections_refused", ConnectionsRefused},
    {"streams_refused", StreamsRefused},
    {"streams_closed", StreamsClosed},
    {"peer_calls_fail", PeerCallsFail},
    {"draining", Draining},
};

void Find(const StatusInput& input, absl::Span<const Check> checks,
          std::vector<v1::Trouble>& troubles) {
  for (const Check& check : checks) {
    const Found found = check.find(input);
    if (found.text.empty()) continue;
    v1::Trouble trouble;
    trouble.set_code(check.code);
    trouble.set_text(FitText(found.text, kMaxTroubleBytes));
    trouble.set_count(found.count);
    troubles.push_back(std::move(trouble));
  }
}

}  // namespace

std::vector<v1::Trouble> FindTroubles(const StatusInput& input) {
  std::vector<v1::Trouble> troubles = FindTrainersTroubles(input);
  Find(input, kForOperators, troubles);
  return troubles;
}

std::vector<v1::Trouble> FindTrainersTroubles(const StatusInput& input) {
  std::vector<v1::Trouble> troubles;
  Find(input, kForTrainers, troubles);
  return troubles;
}

}  // namespace tributary
