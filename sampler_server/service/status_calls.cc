#include "sampler_server/service/status_calls.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "channel/parse_header.h"
#include "common/text/status.h"
#include "sampler_server/service/status/server_status.h"
#include "sampler_server/service/visible_graphs.h"

namespace tributary {
namespace {

ServerFacts FactsOf(const ServiceCore& core) {
  return core.facts ? core.facts() : ServerFacts();
}

uint64_t ValueOf(const Counter& counter) {
  return static_cast<uint64_t>(counter.Value());
}

uint64_t CountOf(const std::map<std::string, uint64_t>& counts,
                 absl::string_view reason) {
  const auto found = counts.find(std::string(reason));
  return found == counts.end() ? 0 : found->second;
}

void CountConnections(const ServerFacts& facts, CountedTotals& totals) {
  totals[kDiskErrors] = facts.disk_errors;
  totals[kStreamsTooMany] = CountOf(facts.refused_streams, "too_many");
  totals[kStreamsOfCaller] = CountOf(facts.refused_streams, "caller_share");
  for (size_t i = 0; i < std::size(kConnectionReasons); ++i) {
    totals[kConnections + i] =
        CountOf(facts.refused_connections, kConnectionReasons[i]);
  }
}

CountedTotals TotalsOf(const ServiceCore& core, const ServerFacts& facts) {
  CountedTotals totals = {};
  totals[kCreditsRefused] = ValueOf(core.metrics.refused);
  totals[kRefusedPolicy] = core.refusals->count(CallerRefusals::kPolicy);
  totals[kRefusedJob] = core.refusals->count(CallerRefusals::kJob);
  totals[kRefusedQueue] = core.refusals->count(CallerRefusals::kQueue);
  totals[kRefusedFarewell] = core.refusals->count(CallerRefusals::kFarewell);
  totals[kRefusedAttempt] = core.refusals->count(CallerRefusals::kAttempt);
  totals[kLeafErrors] = ValueOf(core.metrics.leaf_errors);
  const StreamEndMetrics& ends = core.streams->metrics();
  for (const Counter& counter : ends.held_up) {
    totals[kHeldUp] += ValueOf(counter);
  }
  for (const Counter& counter : ends.overflowed) {
    totals[kUnread] += ValueOf(counter);
  }
  totals[kFlooded] = ValueOf(ends.flooded);
  CountConnections(facts, totals);
  return totals;
}

GraphFacts FactsOf(const HeldGraph& held) {
  const GraphSchema& schema = held.schema();
  GraphFacts facts;
  facts.name = held.name();
  facts.layout_digest.assign(schema.layout_digest.begin(),
                             schema.layout_digest.end());
  facts.num_partitions = schema.num_partitions;
  facts.owned = held.graph().partitions();
  std::sort(facts.owned.begin(), facts.owned.end());
  facts.retiring = held.retiring;
  if (const absl::Status damage = held.graph().damage(); !damage.ok()) {
    facts.damage = damage.ToString();
  }
  if (!held.served.peers) return facts;
  for (const v1::PeerState& peer : held.served.peers()) {
    if (!peer.healthy()) continue;
    facts.elsewhere.insert(facts.elsewhere.end(), peer.partitions().begin(),
                           peer.partitions().end());
  }
  return facts;
}

StatusInput InputFor(const ServiceCore& core, const Caller& caller) {
  StatusInput input;
  input.now = core.protocol_executor->Now();
  input.uptime = input.now - core.started;
  input.draining = core.draining;
  if (core.busy_ratio) input.busy_ratio = core.busy_ratio();
  input.memory_used = core.budget->used();
  input.memory_budget = core.budget->limit();
  input.memory_wanted_since = core.admission->memory_wanted_since();
  input.queued = core.admission->num_queued();
  input.active = core.activity->count();
  input.weights = core.weights;
  input.queues = core.admission->Jobs();
  input.activity = core.job_activity.Jobs(input.now);
  input.waits = core.wait_reports.ByJob(input.now);
  input.budgets = SharedBudgetsOf(core);
  input.facts = FactsOf(core);
  input.recent =
      core.counted.LastMinute(input.now, TotalsOf(core, input.facts));
  // Whoever asks names no job of its own: plain text sees all graphs.
  const GraphView graphs = VisibleGraphs(core, caller, /*job=*/"");
  for (const auto& held : graphs.graphs()) {
    input.graphs.push_back(FactsOf(*held));
  }
  return input;
}

}  // namespace

bool SeesAllJobs(const Caller& caller) {
  return caller.identity.role != Role::kTrainer;
}

v1::ServerStatus StatusFor(const ServiceCore& core, const Caller& caller) {
  const StatusInput input = InputFor(core, caller);
  return SeesAllJobs(caller) ? MakeServerStatus(input)
                             : MakeTrainerStatus(input, caller.identity.name);
}

absl::StatusOr<CallAnswer> AnswerStatus(const ServiceCore& core,
                                        const IncomingCall& call) {
  RETURN_IF_ERROR(
      ParseHeader<v1::StatusRequest>(call.kind, call.header).status());
  v1::StatusReply reply;
  *reply.mutable_status() = StatusFor(core, *call.caller);
  return CallAnswer{MessageKind::kStatusReply, reply.SerializeAsString()};
}

std::vector<BudgetState> SharedBudgetsOf(const ServiceCore& core) {
  std::vector<BudgetState> states;
  for (const auto& budget :
       {core.leaf_budget, core.data_budget, core.attempt_budget,
        core.control_budget, core.streams->answers(), core.inbox_budget,
        core.plans->budget()}) {
    states.push_back({budget->name(), budget->limit(), budget->used()});
  }
  return states;
}

void SampleCounts(ServiceCore& core) {
  core.counted.Sample(core.protocol_executor->Now(),
                      TotalsOf(core, FactsOf(core)));
}

}  // namespace tributary
