#include "sampler_server/service/stream_grants.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/runtime/fault_point.h"
#include "common/text/fit_text.h"
#include "sampler_server/service/grants/credit_check.h"

namespace tributary {
namespace {

// What a queued credit takes beside its inputs: its grant, its task and their
// timer and places in queues.
constexpr size_t kQueuedBytes = 2048;

// Of what is kept of a failed batch's error.
constexpr size_t kMaxErrorBytes = 256;

// Marks the graph, then the server, as busy until the result is destroyed; the
// server may end inside that.
std::shared_ptr<const void> HoldOf(const ServiceCore& core,
                                   const std::shared_ptr<HeldGraph>& graph) {
  struct Holds {
    std::shared_ptr<const void> of_server;
    std::shared_ptr<HeldGraph> graph;
    std::shared_ptr<const void> of_graph;
  };
  return std::make_shared<const Holds>(
      Holds{core.activity->Hold(), graph, graph->activity->Hold()});
}

}  // namespace

struct StreamGrants::QueuedTask {
  GrantedBatch batch;
  std::shared_ptr<const void> hold;
};

StreamGrants::StreamGrants(std::shared_ptr<ServiceCore> core, uint64_t stream,
                           CallerPtr caller, std::shared_ptr<Strand> strand,
                           std::shared_ptr<AnswerSender> answers)
    : core_(std::move(core)),
      stream_(stream),
      caller_(std::move(caller)),
      strand_(std::move(strand)),
      answers_(std::move(answers)),
      stall_(strand_->Now()) {}

StreamGrants::Grant* StreamGrants::Find(uint64_t id) {
  const auto it = grants_.find(id);
  return it == grants_.end() ? nullptr : &it->second;
}

StreamGrants::Grant StreamGrants::MakeGrant(const GrantedBatch& batch) const {
  Grant grant;
  grant.key = batch.request.key;
  grant.stages =
      std::make_shared<StageTimes>(&core_->protocol_executor->clock());
  grant.cancel = batch.request.cancel;
  grant.job = batch.job;
  grant.inputs = batch.request.input_number.size();
  grant.calls =
      std::make_shared<PeerCalls>(batch.trace_id, grant.stages->start());
  grant.ahead = core_->admission->Ahead(batch.job);
  if (core_->cpu_clock != nullptr) {
    grant.cpu = std::make_shared<CpuMeter>(core_->cpu_clock);
  }
  return grant;
}

void StreamGrants::Admit(uint64_t id, GrantedBatch batch) {
  Grant grant = MakeGrant(batch);
  const BatchRequest& request = batch.request;
  const absl::Time deadline = request.deadline;
  Admission::Batch queued;
  queued.job = batch.job;
  queued.caller = caller_->share_key();
  queued.stream = stream_;
  queued.queued_bytes = InputBytes(request) + kQueuedBytes;
  queued.reserve_bytes =
      ReservationFor(batch.graph->schema(), request, core_->budget->limit());
  auto hold = HoldOf(*core_, batch.graph);
  queued.start = [self = shared_from_this(), id,
                  task = QueuedTask{std::move(batch), std::move(hold)}](
                     Reservation reservation) mutable {
    self->strand_->Post([self, id, task = std::move(task),
                         reservation = std::move(reservation)]() mutable {
      self->StartTask(id, std::move(task), std::move(reservation));
    });
  };
  auto admitted = core_->admission->Enqueue(std::move(queued));
  if (!admitted.ok()) {
    core_->refusals->Note(CallerRefusals::kQueue, *caller_, admitted.status());
    return Refuse(id, admitted.status());
  }
  core_->job_metrics.AddRequest(grant.job, core_->weights.Lists(grant.job));
  grant.admitted = *admitted;
  grant.queue_timer = strand_->PostAt(
      deadline, [self = shared_from_this(), id] { self->OnQueueTimeout(id); });
  grants_.emplace(id, std::move(grant));
}

void StreamGrants::Refuse(uint64_t id, const absl::Status& why) {
  core_->metrics.refused.Add();
  answers_->SendError(id, why);
}

// The grant is still here: Cancel and CancelAll keep what they could not take
// back from the queue until its task is gone.
void StreamGrants::StartTask(uint64_t id, QueuedTask task,
                             Reservation reservation) {
  Grant* grant = Find(id);
  if (grant == nullptr) return;
  strand_->CancelTimer(grant->queue_timer);
  if (grant->cancel.cancelled()) {
    reservation.Release();
    return OnTaskGone(id, grant->admitted);
  }
  CrashPoint("batch.start");
  GrantedBatch& batch = task.batch;
  batch.request.reserved_bytes = reservation.bytes();
  auto room = std::make_unique<BatchRoom>(std::move(reservation),
                                          std::move(batch.lent), task.hold);
  auto sink = std::make_shared<GrantSink>(std::move(room), std::move(task.hold),
                                          grant->stages,
                                          CallbacksOf(id, grant->admitted));
  const ServedGraph& served = batch.graph->served;
  const BatchEnvironment environment{
      served.graph.get(),     served.remote.get(),
      core_->executor,        grant->cpu,
      served.rows.get(),      served.hot.get(),
      &core_->metrics.engine, grant->calls};
  StartBatchTask(environment, std::move(batch.request), std::move(sink));
}

GrantSink::Callbacks StreamGrants::CallbacksOf(uint64_t id,
                                               Admission::BatchId admitted) {
  GrantSink::Callbacks callbacks;
  callbacks.ended = [self = shared_from_this(), id](TaskEnd end) {
    self->strand_->Post([self, id, end = std::move(end)]() mutable {
      self->OnTaskEnd(id, std::move(end));
    });
  };
  callbacks.waits = [core = core_, admitted](bool waits) {
    core->admission->SetWaiting(admitted, waits);
  };
  callbacks.gone = [self = shared_from_this(), id, admitted] {
    self->strand_->Post(
        [self, id, admitted] { self->OnTaskGone(id, admitted); });
  };
  return callbacks;
}

void StreamGrants::OnQueueTimeout(uint64_t id) {
  const Grant* grant = Find(id);
  if (grant == nullptr || !core_->admission->Cancel(grant->admitted)) return;
  grants_.erase(id);
  Refuse(id, absl::DeadlineExceededError(
                 "the credit's timeout, or the longest time that this server "
                 "lets a credit wait, passed before its turn came"));
}

void StreamGrants::Cancel(uint64_t id) {
  Grant* grant = Find(id);
  if (grant == nullptr) return answers_->SendReturned(id);
  if (grant->state.cancelled()) return;
  grant->cancel.Cancel();
  const bool withdrawn = core_->admission->Cancel(grant->admitted);
  if (withdrawn) strand_->CancelTimer(grant->queue_timer);
  if (grant->state.sending()) answers_->CancelFrames(id);
  if (grant->state.Cancel(withdrawn)) answers_->SendReturned(id);
  ForgetIfOver(id);
}

void StreamGrants::CancelAll() {
  for (auto it = grants_.begin(); it != grants_.end();) {
    Grant& grant = it->second;
    strand_->CancelTimer(grant.queue_timer);
    grant.cancel.Cancel();
    it = core_->admission->Cancel(grant.admitted) ? grants_.erase(it) : ++it;
  }
}

void StreamGrants::OnTaskEnd(uint64_t id, TaskEnd end) {
  Grant* grant = Find(id);
  if (grant == nullptr) return;
  if (end.kind == TaskEnd::Kind::kReady) {
    grant->left_out = end.left_out.bytes();
    grant->compact = end.left_out.compact_bytes;
    grant->bytes = end.bytes - grant->left_out;
  }
  if (answers_->closed() || !grant->state.Answer()) return;
  switch (end.kind) {
    case TaskEnd::Kind::kReady:
      return SendBatch(id, *grant, std::move(end));
    case TaskEnd::Kind::kNeeds:
      core_->metrics.needs.Add();
      Record(*grant, v1::BatchTrace::OUTCOME_NEEDS);
      return answers_->SendNeeds(id, end.bytes);
    case TaskEnd::Kind::kFailed:
      core_->metrics.failed.Add();
      LogFailed(*grant, end.why);
      Record(*grant, v1::BatchTrace::OUTCOME_FAILED, end.why);
      return answers_->SendError(id, end.why);
  }
}

void StreamGrants::CountBatch(const Grant& grant) {
  core_->metrics.batches.Add();
  core_->metrics.batch_bytes.Add(static_cast<double>(grant.bytes));
  core_->metrics.left_out_bytes.Add(
      static_cast<double>(grant.left_out - grant.compact));
  core_->metrics.compact_bytes.Add(static_cast<double>(grant.compact));
  core_->metrics.inputs.Add(static_cast<double>(grant.inputs));
  const TimesByStage times = grant.stages->Times();
  core_->metrics.batch_seconds.Observe(absl::ToDoubleSeconds(Total(times)));
  for (size_t stage = 0; stage < kNumTimedStages; ++stage) {
    if (static_cast<TimedStage>(stage) == TimedStage::kSend) continue;
    core_->metrics.ObserveStage(stage, times);
  }
}

v1::BatchTrace StreamGrants::TraceOf(const Grant& grant) const {
  v1::BatchTrace trace;
  trace.set_trace_id(grant.calls->trace_id());
  trace.set_job(grant.job);
  trace.set_session(grant.key.session.data(), grant.key.session.size());
  trace.set_epoch(grant.key.epoch);
  trace.set_index(grant.key.index);
  const absl::Time arrived =
      absl::Now() - (strand_->Now() - grant.stages->start());
  trace.set_arrived_unix_us(static_cast<uint64_t>(absl::ToUnixMicros(arrived)));
  trace.set_inputs(grant.inputs);
  trace.set_bytes(grant.bytes);
  trace.set_left_out_bytes(grant.left_out);
  trace.set_queued(static_cast<uint32_t>(grant.ahead.all));
  trace.set_queued_of_job(static_cast<uint32_t>(grant.ahead.of_job));
  if (grant.cpu != nullptr) {
    trace.set_cpu_us(
        static_cast<uint64_t>(absl::ToInt64Microseconds(grant.cpu->spent())));
  }
  grant.stages->FillTrace(&trace);
  grant.calls->FillTrace(&trace);
  return trace;
}

std::unique_ptr<v1::BatchTrace> StreamGrants::TraceFor(
    const Grant& grant) const {
  if (grant.calls->trace_id().empty()) return nullptr;
  return std::make_unique<v1::BatchTrace>(TraceOf(grant));
}

void StreamGrants::Record(Grant& grant, v1::BatchTrace::Outcome outcome,
                          const absl::Status& why) {
  if (std::exchange(grant.recorded, true)) return;
  v1::BatchTrace trace = TraceOf(grant);
  trace.set_outcome(outcome);
  if (!why.ok()) trace.set_error(FitText(why.ToString(), kMaxErrorBytes));
  core_->recent_batches.Add(trace, strand_->Now() - grant.stages->start(),
                            strand_->Now());
}

LogFields StreamGrants::FieldsOf(const Grant& grant) const {
  LogFields fields =
      BatchFields(grant.job,
                  {reinterpret_cast<const char*>(grant.key.session.data()),
                   grant.key.session.size()},
                  grant.key.epoch, grant.key.index);
  const std::string& trace_id = grant.calls->trace_id();
  if (!trace_id.empty()) {
    fields.push_back({"trace_id", absl::BytesToHexString(trace_id)});
  }
  return fields;
}

void StreamGrants::LogFailed(const Grant& grant,
                             const absl::Status& why) const {
  core_->job_activity.AddFailed(grant.job, core_->weights.Lists(grant.job), why,
                                strand_->Now());
  LogRepeated(LogLevel::kInfo, "batch failed", grant.job,
              absl::StrCat("batch failed: ", why.ToString()), FieldsOf(grant));
}

void StreamGrants::LogDelivered(const Grant& grant,
                                const TimesByStage& times) const {
  if (!LogEnabled(LogLevel::kDebug)) return;
  LogFields fields = FieldsOf(grant);
  fields.push_back({"bytes", uint64_t{grant.bytes}});
  for (size_t stage = 0; stage < kNumTimedStages; ++stage) {
    fields.push_back(
        {absl::StrCat(TimedStageName(static_cast<TimedStage>(stage)), "_us"),
         static_cast<uint64_t>(absl::ToInt64Microseconds(times[stage]))});
  }
  Log(LogLevel::kDebug, "batch sent", fields);
}

void StreamGrants::CountDelivered(Grant& grant) {
  Record(grant, v1::BatchTrace::OUTCOME_SENT);
  const TimesByStage times = grant.stages->Times();
  core_->metrics.ObserveStage(static_cast<size_t>(TimedStage::kSend), times);
  LogDelivered(grant, times);
  const bool listed = core_->weights.Lists(grant.job);
  core_->job_metrics.AddDelivered(grant.job, listed);
  core_->job_activity.AddDelivered(
      grant.job, listed, {grant.key.epoch, grant.key.index, grant.bytes, times},
      strand_->Now());
}

void StreamGrants::SendBatch(uint64_t id, Grant& grant, TaskEnd end) {
  CrashPoint("batch.send");
  CountBatch(grant);
  if (end.room->lent() != nullptr) {
    answers_->SendReady(id, end.bytes, end.room->lent(), TraceFor(grant));
    CountDelivered(grant);
    return CrashPoint("batch.sent");
  }
  if (!sending()) stall_.BeginSending(strand_->Now());
  grant.state.BeginSending();
  grant.unread = grant.bytes;
  grant.stages->Enter(v1::STAGE_SENDING);
  const auto batch = end.room->buffer();
  // The network releases it on a thread of its own: the room is freed on ours.
  std::shared_ptr<const void> owner(
      batch.data(), [self = shared_from_this(), id,
                     room = std::move(end.room)](const void*) mutable {
        auto* strand = self->strand_.get();
        strand->Post([self = std::move(self), id, room = std::move(room)] {
          self->OnFramesOut(id);
        });
      });
  answers_->SendFrames(id, batch, std::move(owner), std::move(end.left_out),
                       TraceFor(grant));
  CrashPoint("batch.sent");
}

void StreamGrants::OnFramesOut(uint64_t id) {
  Grant* grant = Find(id);
  if (grant == nullptr) return;
  grant->state.EndSending();
  if (!answers_->closed() && !grant->state.cancelled()) CountDelivered(*grant);
  Record(*grant, v1::BatchTrace::OUTCOME_CANCELLED);
  ForgetIfOver(id);
}

void StreamGrants::OnTaskGone(uint64_t id, Admission::BatchId admitted) {
  Grant* grant = Find(id);
  if (grant == nullptr) return core_->admission->Finish(admitted);
  BatchCost cost;
  if (grant->cpu != nullptr) cost.cpu = grant->cpu->spent();
  cost.bytes = grant->bytes;
  cost.unread = grant->unread;
  core_->admission->MarkMade(admitted, cost);
  core_->job_metrics.AddBatch(grant->job, core_->weights.Lists(grant->job),
                              cost);
  if (grant->cancel.cancelled() && !grant->state.sending()) {
    Record(*grant, v1::BatchTrace::OUTCOME_CANCELLED);
  }
  switch (grant->state.EndTask()) {
    case GrantState::Owed::kNothing:
      break;
    case GrantState::Owed::kReturned:
      answers_->SendReturned(id);
      break;
    case GrantState::Owed::kError:
      answers_->SendError(
          id, absl::InternalError("the task ended without an answer"));
      break;
  }
  ForgetIfOver(id);
}

void StreamGrants::ForgetIfOver(uint64_t id) {
  const Grant* grant = Find(id);
  if (grant == nullptr || !grant->state.over()) return;
  core_->admission->Finish(grant->admitted);
  grants_.erase(id);
}

bool StreamGrants::sending() const {
  return std::any_of(grants_.begin(), grants_.end(), [](const auto& grant) {
    return grant.second.state.sending();
  });
}

v1::Progress StreamGrants::Progress() const {
  v1::Progress progress;
  for (const auto& [id, grant] : grants_) {
    if (!grant.state.pending()) continue;
    progress.add_grant(id);
    progress.add_stage(grant.stages->stage());
  }
  return progress;
}

std::optional<absl::Duration> StreamGrants::PollStall() {
  return stall_.Poll(strand_->Now(), sending(), answers_->frames_taken(),
                     core_->admission->memory_wanted_since());
}

}  // namespace tributary
