// The state that all streams of a sampling service share.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_SERVICE_CORE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_SERVICE_CORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "channel/frame_sender.h"
#include "common/runtime/activity.h"
#include "common/runtime/byte_budget.h"
#include "common/runtime/cpu_meter.h"
#include "common/runtime/executor.h"
#include "common/runtime/shared_budget.h"
#include "sampler_server/access/caller_refusals.h"
#include "sampler_server/access/graph_access.h"
#include "sampler_server/jobs/admission.h"
#include "sampler_server/jobs/job_metrics.h"
#include "sampler_server/service/catalog/graph_catalog.h"
#include "sampler_server/service/catalog/session_cache.h"
#include "sampler_server/service/farewells.h"
#include "sampler_server/service/grants/plan_holds.h"
#include "sampler_server/service/leaf/leaf_calls.h"
#include "sampler_server/service/load/job_activity.h"
#include "sampler_server/service/load/wait_reports.h"
#include "sampler_server/service/planning_turns.h"
#include "sampler_server/service/service_metrics.h"
#include "sampler_server/service/status/counted.h"
#include "sampler_server/service/status/status_input.h"
#include "sampler_server/service/trace/recent_batches.h"
#include "sampler_server/streams/call_rates.h"
#include "sampler_server/streams/call_turns.h"
#include "sampler_server/streams/open_streams.h"
#include "sampler_server/tensors/tensor_service.h"

namespace tributary {

// Plain members, set up by SamplerService before the first stream and then
// constant, or thread-safe by themselves. Kept alive by the service and by each
// of its streams; what the raw pointers refer to outlives all of them.
struct ServiceCore {
  explicit ServiceCore(size_t max_sessions) : sessions(max_sessions) {}

  GraphCatalog graphs;
  GraphAccess access;  // who may read them
  std::shared_ptr<CallerRefusals> refusals = std::make_shared<CallerRefusals>();
  uint64_t incarnation = 0;
  bool takes_tcp = false;
  Executor* executor = nullptr;  // runs batch tasks
  // CPU time of the threads of the executors; null: not measured.
  CpuMeter::Clock cpu_clock = nullptr;
  Executor* protocol_executor = nullptr;  // runs streams and admission
  // Has threads of its own, so that leaf requests never wait for tasks.
  Executor* leaf_executor = nullptr;
  Executor* data_executor = nullptr;   // runs data calls, on threads of its own
  std::shared_ptr<ByteBudget> budget;  // of batches
  // The budget of leaf requests and replies; separate from `budget` for the
  // same reason.
  std::shared_ptr<SharedBudget> leaf_budget;
  std::shared_ptr<CallTurns> leaf_turns;
  // The budget of control answers until the network takes them.
  std::shared_ptr<SharedBudget> control_budget;
  // How many control calls each caller has made lately.
  std::shared_ptr<CallRates> control_rates = std::make_shared<CallRates>();
  // The budget of data calls' requests and replies.
  std::shared_ptr<SharedBudget> data_budget;
  std::shared_ptr<CallTurns> data_turns;
  // The budget of attempts; see TensorStoreOptions.
  std::shared_ptr<SharedBudget> attempt_budget;
  // The budget of messages of trainers that are not handled yet.
  std::shared_ptr<SharedBudget> inbox_budget =
      SharedBudget::Create("inbox budget", size_t{64} << 20);
  // The plans that credits keep.
  std::shared_ptr<PlanHolds> plans = std::make_shared<PlanHolds>(
      SharedBudget::Create("plan budget", size_t{64} << 20));
  // All streams, and the budget of their small answers.
  std::shared_ptr<OpenStreams> streams = std::make_shared<OpenStreams>(
      SharedBudget::Create("answer budget", size_t{64} << 20));
  std::shared_ptr<Admission> admission;
  TensorCalls tensors;  // mutable rows
  JobWeights weights;
  std::shared_ptr<Activity> activity = std::make_shared<Activity>();
  // Held by attempts that have rows on this server.
  std::shared_ptr<Activity> row_holders = std::make_shared<Activity>();
  std::shared_ptr<Farewells> farewells;
  SessionCache sessions;
  PlanningTurns planning;
  // A credit waits for its turn, and is worked on, no longer than this.
  absl::Duration max_credit_time = absl::Minutes(15);
  ServiceMetrics metrics;
  JobMetrics job_metrics;
  WaitReports wait_reports;
  RecentBatches recent_batches;
  // Returns the share of the last minute that this server was busy; empty: not
  // known.
  std::function<double()> busy_ratio;
  JobActivity job_activity;
  CountedHistory counted;
  absl::Time started;  // by the protocol executor's clock
  // Returns what the server knows beyond the service, on any thread, without
  // waiting; empty: nothing.
  std::function<ServerFacts()> facts;
  LeafLimits leaf_limits;
  FrameSenderOptions frames;
  std::atomic<bool> draining{false};
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_SERVICE_CORE_H_
