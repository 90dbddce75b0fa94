#include "sampler_server/service/sampler_service.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/planned_end.h"
#include "common/runtime/mutex.h"
#include "common/runtime/shared_budget.h"
#include "common/text/status.h"
#include "sampler_server/access/stream_job.h"
#include "sampler_server/service/control_stream.h"
#include "sampler_server/service/data_stream.h"
#include "sampler_server/service/leaf_stream.h"
#include "sampler_server/service/service_core.h"
#include "sampler_server/service/status_calls.h"
#include "sampler_server/service/trainer_stream.h"
#include "sampler_server/service/visible_graphs.h"

namespace tributary {

// The open batch streams, so that they can be counted and closed. Their places
// are shared by caller.
class BatchStreams {
 public:
  explicit BatchStreams(size_t max)
      : places_(SharedBudget::Create("batch streams", max)) {}

  std::shared_ptr<StreamHandler> Open(std::shared_ptr<ServiceCore> core,
                                      CallerPtr caller,
                                      std::shared_ptr<Stream> stream,
                                      absl::Status* why) {
    MutexLock lock(mutex_);
    std::erase_if(open_,
                  [](const OpenStream& open) { return open.stream.expired(); });
    auto place = places_->Open(caller->share_key())->TryTake(1);
    if (!place.ok()) {
      *why = place.status();
      return nullptr;
    }
    auto opened = std::make_shared<TrainerStream>(
        std::move(core), next_id_++, std::move(caller), std::move(stream));
    open_.push_back({opened, *std::move(place)});
    return opened;
  }

  void CloseAll(const absl::Status& why) {
    std::vector<OpenStream> streams;
    {
      MutexLock lock(mutex_);
      streams.swap(open_);
    }
    for (const OpenStream& open : streams) {
      if (const auto stream = open.stream.lock()) stream->Close(why);
    }
  }

 private:
  struct OpenStream {
    std::weak_ptr<TrainerStream> stream;
    BudgetShare::Hold place;
  };

  const std::shared_ptr<SharedBudget> places_;
  Mutex mutex_;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::vector<OpenStream> open_ ABSL_GUARDED_BY(mutex_);
};

namespace {

// Calls that were parked may keep the store longer than `core`, its owner.
std::shared_ptr<TensorStore> MakeTensorStore(
    const SamplerServiceOptions& options,
    const std::shared_ptr<ServiceCore>& core) {
  TensorStoreOptions store;
  store.memory = options.tensor_memory;
  store.weights = options.admission.weights;
  store.incarnation = options.incarnation;
  store.unused_timeout = options.unused_attempt_timeout;
  store.attempts = core->attempt_budget;
  TensorStoreEnvironment environment;
  environment.executor = core->data_executor;
  const std::weak_ptr<ServiceCore> weak = core;
  environment.pin_graph = [weak](const std::string& digest)
      -> absl::StatusOr<std::shared_ptr<const void>> {
    const auto core = weak.lock();
    if (core == nullptr) return absl::UnavailableError("the server has ended");
    ASSIGN_OR_RETURN(const auto graph, core->graphs.WithContent(digest));
    return graph->pins->Hold();
  };
  environment.hold_server = [holders = core->row_holders] {
    return holders->Hold();
  };
  environment.draining = [weak] {
    const auto core = weak.lock();
    return core == nullptr || core->draining;
  };
  return std::make_shared<TensorStore>(std::move(store),
                                       std::move(environment));
}

// Makes the turns of leaf calls and of data calls, which `data_threads` run.
// Requires the core's executors and weights.
void MakeTurns(const std::shared_ptr<ServiceCore>& core, int data_threads) {
  CallTurnsOptions options;
  options.cpu_clock = core->cpu_clock;
  core->leaf_turns = std::make_shared<CallTurns>(core->leaf_executor, options);
  options.weights = core->weights;
  if (data_threads > 1) options.most_of_caller = data_threads - 1;
  options.charge = [weak = std::weak_ptr<ServiceCore>(core)](
                       const TurnOwner& owner, absl::Duration cost) {
    const auto core = weak.lock();
    if (core == nullptr) return;
    const std::string job = owner.job.empty() ? StreamJob::kUnnamed : owner.job;
    core->job_metrics.AddDataCalls(job, core->weights.Lists(job), cost);
  };
  core->data_turns =
      std::make_shared<CallTurns>(core->data_executor, std::move(options));
}

// Requires the core's executors.
void MakeSharedBudgets(const SamplerServiceOptions& options,
                       const SamplerServiceEnvironment& environment,
                       ServiceCore& core) {
  core.leaf_budget = SharedBudget::Create("leaf budget", options.leaf_budget);
  core.data_budget = SharedBudget::Create("data budget", options.data_budget);
  core.attempt_budget =
      SharedBudget::Create("attempt budget", options.attempt_budget);
  core.control_budget =
      SharedBudget::Create("control budget", options.control_budget);
  core.inbox_budget =
      SharedBudget::Create("inbox budget", options.inbox_budget);
  core.plans = std::make_shared<PlanHolds>(
      SharedBudget::Create("plan budget", options.plan_budget));
  core.streams = std::make_shared<OpenStreams>(
      SharedBudget::Create("answer budget", options.answer_budget));
  StreamEndMetrics metrics;
  if (environment.metrics != nullptr) {
    metrics = StreamEndMetrics(*environment.metrics);
  }
  core.streams->SetUp(core.protocol_executor, metrics);
  for (const auto& budget :
       {core.leaf_budget, core.data_budget, core.control_budget}) {
    core.streams->Watch(budget);
  }
}

// Returns TensorCalls::may_read.
std::function<absl::Status(const Caller&, const std::string&,
                           const std::string&)>
MayReadGraph(const std::shared_ptr<ServiceCore>& core) {
  return [weak = std::weak_ptr<ServiceCore>(core)](
             const Caller& caller, const std::string& job,
             const std::string& digest) -> absl::Status {
    const auto core = weak.lock();
    if (core == nullptr) return absl::UnavailableError("the server has ended");
    const auto graph = core->graphs.WithContent(digest);
    if (!graph.ok()) return absl::OkStatus();
    return CheckMayRead(*core, caller, job, **graph);
  };
}

}  // namespace

SamplerService::SamplerService(const SamplerServiceOptions& options,
                               const SamplerServiceEnvironment& environment)
    : core_(std::make_shared<ServiceCore>(options.max_sessions)),
      streams_(std::make_shared<BatchStreams>(options.max_streams)) {
  core_->incarnation = options.incarnation;
  core_->takes_tcp = options.takes_tcp;
  core_->executor = environment.executor;
  core_->cpu_clock = environment.cpu_clock;
  core_->protocol_executor = environment.protocol_executor != nullptr
                                 ? environment.protocol_executor
                                 : environment.executor;
  core_->started = core_->protocol_executor->Now();
  core_->leaf_executor = environment.leaf_executor;
  core_->data_executor = environment.data_executor != nullptr
                             ? environment.data_executor
                             : environment.leaf_executor;
  core_->budget = ByteBudget::Create("--memory-budget", options.memory_budget);
  MakeSharedBudgets(options, environment, *core_);
  core_->admission = std::make_shared<Admission>(
      options.admission, core_->budget, core_->protocol_executor);
  core_->farewells = std::make_shared<Farewells>(
      environment.all_clients_gone ? options.num_clients : 0,
      environment.all_clients_gone, core_->protocol_executor);
  core_->max_credit_time = options.max_credit_time;
  core_->weights = options.admission.weights;
  MakeTurns(core_, environment.data_threads);
  core_->frames = options.frames;
  core_->leaf_limits.max_reply_bytes = options.max_leaf_reply_bytes;
  core_->tensors.store = MakeTensorStore(options, core_);
  core_->tensors.may_read = MayReadGraph(core_);
  core_->tensors.refusals = core_->refusals;
  if (environment.metrics != nullptr) {
    *core_->refusals = CallerRefusals(*environment.metrics);
    core_->tensors.metrics = TensorMetrics(*environment.metrics);
    core_->metrics = ServiceMetrics(*environment.metrics);
    core_->job_metrics.SetRegistry(environment.metrics);
  }
}

SamplerService::SamplerService(const SamplerServiceOptions& options,
                               const SamplerServiceEnvironment& environment,
                               ServedGraph graph)
    : SamplerService(options, environment) {
  AddGraph(std::move(graph)).IgnoreError();  // the first one always fits
}

SamplerService::~SamplerService() {
  streams_->CloseAll(PlannedEnd("this server has stopped"));
  core_->tensors.store->EndAll(
      absl::UnavailableError("this server has stopped"));
}

std::shared_ptr<StreamHandler> SamplerService::Accept(
    StreamMethod method, CallerPtr caller, std::shared_ptr<Stream> stream,
    absl::Status* why) {
  switch (method) {
    case StreamMethod::kBatches:
      return streams_->Open(core_, std::move(caller), std::move(stream), why);
    case StreamMethod::kLeaf:
      return ServeLeafCalls(core_, std::move(stream), std::move(caller));
    case StreamMethod::kControl:
      return ServeControlCalls(core_, std::move(stream), std::move(caller));
    case StreamMethod::kData:
      return ServeDataCalls(core_, std::move(stream), std::move(caller));
  }
  *why = absl::UnimplementedError("a stream method that is not known here");
  return nullptr;
}

absl::Status SamplerService::AddGraph(ServedGraph graph) {
  const bool reads_files = graph.graph->reads_features();
  RETURN_IF_ERROR(
      core_->graphs.Add(std::make_shared<HeldGraph>(std::move(graph))));
  if (reads_files) core_->admission->ExpectFileReads();
  return absl::OkStatus();
}

absl::Status SamplerService::RetireGraph(const Sha256Digest& layout,
                                         absl::Time deadline,
                                         absl::AnyInvocable<void()> gone) {
  std::shared_ptr<HeldGraph> graph;
  for (const auto& held : core_->graphs.All()) {
    if (held->schema().layout_digest == layout) graph = held;
  }
  if (graph == nullptr || graph->retiring.exchange(true)) {
    return absl::NotFoundError(absl::StrCat("no graph with layout digest ",
                                            ToHex(layout),
                                            " is served, and not retiring"));
  }
  core_->protocol_executor->PostAt(
      deadline, [core = core_, graph, gone = std::move(gone)]() mutable {
        graph->pins->OnIdle([core, graph, gone = std::move(gone)]() mutable {
          core->graphs.Remove(*graph);
          graph->gone = true;
          core->sessions.DropGone();
          graph->activity->OnIdle(std::move(gone));
        });
      });
  return absl::OkStatus();
}

void SamplerService::SetPolicy(std::shared_ptr<const AccessPolicy> policy) {
  core_->access.Set(std::move(policy));
}

namespace {

size_t NumUnowned(const HeldGraph& held) {
  std::set<uint32_t> owned(held.graph().partitions().begin(),
                           held.graph().partitions().end());
  if (held.served.peers) {
    for (const v1::PeerState& peer : held.served.peers()) {
      if (!peer.healthy()) continue;
      owned.insert(peer.partitions().begin(), peer.partitions().end());
    }
  }
  const size_t all = held.schema().num_partitions;
  return all - std::min(all, owned.size());
}

}  // namespace

std::vector<GraphState> SamplerService::graphs() const {
  std::vector<GraphState> states;
  for (const auto& held : core_->graphs.All()) {
    states.push_back({held->name(), held->graph().partitions(),
                      held->schema().num_partitions, NumUnowned(*held),
                      held->retiring, held->activity->count(),
                      DamageOf(held.get())});
  }
  return states;
}

void SamplerService::Drain(absl::Time deadline,
                           absl::AnyInvocable<void()> drained) {
  core_->draining = true;
  Executor* const executor = core_->protocol_executor;
  const TimerId timer =
      executor->PostAt(deadline, [core = core_, streams = streams_] {
        constexpr char kWhy[] =
            "this server has drained, and its grace period is over";
        streams->CloseAll(PlannedEnd(kWhy));
        core->tensors.store->EndAll(absl::UnavailableError(kWhy));
      });
  core_->row_holders->OnIdle(
      [core = core_, executor, timer, drained = std::move(drained)]() mutable {
        core->activity->OnIdle(
            [executor, timer, drained = std::move(drained)]() mutable {
              executor->CancelTimer(timer);
              drained();
            });
      });
}

bool SamplerService::draining() const { return core_->draining; }
ByteBudget& SamplerService::budget() const { return *core_->budget; }
SharedBudget& SamplerService::leaf_budget() const {
  return *core_->leaf_budget;
}
SharedBudget& SamplerService::data_budget() const {
  return *core_->data_budget;
}
std::vector<BudgetState> SamplerService::shared_budgets() const {
  return SharedBudgetsOf(*core_);
}
absl::Duration SamplerService::data_time() const {
  return core_->data_turns->spent();
}
size_t SamplerService::active() const { return core_->activity->count(); }
size_t SamplerService::queued() const { return core_->admission->num_queued(); }

size_t SamplerService::num_sessions() const { return core_->sessions.size(); }
TensorStore& SamplerService::tensors() const { return *core_->tensors.store; }
std::vector<JobState> SamplerService::jobs() const {
  return core_->admission->Jobs();
}
std::map<std::string, double> SamplerService::trainer_waits() const {
  return core_->wait_reports.ByJob(core_->protocol_executor->Now());
}

std::shared_ptr<const Admission> SamplerService::admission() const {
  return core_->admission;
}

void SamplerService::SetBusyRatio(std::function<double()> busy_ratio) {
  core_->busy_ratio = std::move(busy_ratio);
}

void SamplerService::SetFacts(std::function<ServerFacts()> facts) {
  core_->facts = std::move(facts);
}

namespace {

void SampleAgain(const std::weak_ptr<ServiceCore>& weak) {
  const auto core = weak.lock();
  if (core == nullptr) return;
  SampleCounts(*core);
  core->protocol_executor->PostAfter(absl::Seconds(5),
                                     [weak] { SampleAgain(weak); });
}

}  // namespace

void SamplerService::CountLastMinute() { SampleAgain(core_); }

v1::ServerStatus SamplerService::StatusFor(const Identity& identity) const {
  return tributary::StatusFor(*core_, *MakeCaller("http", identity));
}

void SamplerService::UpdateJobMetrics() {
  core_->job_metrics.SetJobs(jobs());
  std::vector<JobWait> waits;
  for (const auto& [job, wait_ratio] : trainer_waits()) {
    waits.push_back({job, core_->weights.Lists(job), wait_ratio});
  }
  core_->job_metrics.SetWaits(waits);
}

}  // namespace tributary
