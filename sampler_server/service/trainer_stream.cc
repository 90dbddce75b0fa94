#include "sampler_server/service/trainer_stream.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "common/observe/log.h"
#include "common/runtime/fault_point.h"
#include "sampler_server/service/credit_check.h"

namespace tributary {
namespace {

constexpr int kMaxUnhandled = 8192;
constexpr size_t kMaxUnhandledBytes = size_t{16} << 20;
constexpr size_t kMaxClientName = 256;

// Without a plan when the bytes are no identity, or of no session that is
// known.
Session FindSession(SessionCache& sessions, const std::string& bytes) {
  Sha256Digest session;
  if (bytes.size() != session.size()) return {};
  std::memcpy(session.data(), bytes.data(), session.size());
  return sessions.Find(session);
}

// A batch is under way until the result is destroyed: of the graph, then of the
// server, which may end with it.
std::shared_ptr<const void> HoldOf(const ServiceCore& core,
                                   const std::shared_ptr<HeldGraph>& graph) {
  struct UnderWay {
    std::shared_ptr<const void> of_server;
    std::shared_ptr<HeldGraph> graph;
    std::shared_ptr<const void> of_graph;
  };
  return std::make_shared<const UnderWay>(
      UnderWay{core.activity->Hold(), graph, graph->activity->Hold()});
}

}  // namespace

TrainerStream::TrainerStream(std::shared_ptr<ServiceCore> core, uint64_t id,
                             std::string peer, std::shared_ptr<Stream> stream)
    : core_(std::move(core)),
      id_(id),
      peer_(std::move(peer)),
      stream_(std::move(stream)),
      strand_(std::make_shared<Strand>(core_->protocol_executor)),
      sender_(FrameSender::Create(stream_, core_->protocol_executor,
                                  core_->frames)),
      took_at_(strand_->Now()) {
  core_->metrics.streams.Add(1);
}

void TrainerStream::OnMessage(IncomingMessage& message) {
  if (message.payload_size() != 0 && message.kind() != MessageKind::kCredit) {
    return stream_->Close(absl::InvalidArgumentError(
        absl::StrCat(MessageKindName(message.kind()), " with a payload of ",
                     message.payload_size(), " bytes; it has none")));
  }
  const size_t bytes = message.header().size() + message.payload_size();
  if (unhandled_.fetch_add(1) >= kMaxUnhandled ||
      unhandled_bytes_.fetch_add(bytes) + bytes > kMaxUnhandledBytes) {
    return stream_->Close(absl::ResourceExhaustedError(absl::StrCat(
        "more than ", kMaxUnhandled, " messages, or ", kMaxUnhandledBytes,
        " bytes of them, that were not waited for")));
  }
  Received received{message.kind(), std::string(message.header()),
                    std::vector<uint8_t>(message.payload_size()),
                    message.room()};
  if (!received.payload.empty()) {
    absl::Status copied = message.CopyPayload(absl::MakeSpan(received.payload));
    if (!copied.ok()) return stream_->Close(std::move(copied));
  }
  strand_->Post([self = shared_from_this(), bytes,
                 received = std::move(received)]() mutable {
    if (!self->closed_) self->Handle(std::move(received));
    self->unhandled_bytes_.fetch_sub(bytes);
    self->unhandled_.fetch_sub(1);
  });
}

void TrainerStream::OnClosed(const absl::Status& why) {
  core_->metrics.streams.Add(-1);
  if (!why.ok()) {
    LogRepeated(
        LogLevel::kInfo, absl::StrCat("batch stream ", peer_),
        absl::StrCat("batch stream of ", peer_, " closed: ", why.ToString()));
  }
  strand_->Post([self = shared_from_this()] { self->OnClosedOnStrand(); });
}

void TrainerStream::OnClosedOnStrand() {
  closed_ = true;
  sender_->Stop();
  strand_->CancelTimer(progress_timer_);
  for (auto it = grants_.begin(); it != grants_.end();) {
    Grant& grant = it->second;
    strand_->CancelTimer(grant.queue_timer);
    grant.cancel.Cancel();
    it = core_->admission->Cancel(grant.admitted) ? grants_.erase(it) : ++it;
  }
}

void TrainerStream::Break(absl::Status why) {
  closed_ = true;  // what is still queued is not looked at
  stream_->Close(std::move(why));
}

void TrainerStream::Handle(Received message) {
  const MessageKind kind = message.kind;
  const std::string& header = message.header;
  v1::OpenSession open;
  v1::Credit credit;
  v1::Cancel cancel;
  if (kind == MessageKind::kOpenSession && open.ParseFromString(header)) {
    return OnOpenSession(open);
  }
  if (kind == MessageKind::kCredit && credit.ParseFromString(header)) {
    return OnCredit(credit, std::move(message));
  }
  if (kind == MessageKind::kCancel && cancel.ParseFromString(header)) {
    return OnCancel(cancel.grant());
  }
  Break(absl::InvalidArgumentError(
      absl::StrCat(MessageKindName(kind),
                   " is not, or not in this form, for a batch stream: "
                   "OpenSession, Credit and Cancel are")));
}

void TrainerStream::OnOpenSession(const v1::OpenSession& open) {
  if (absl::Status s = CheckWireVersion(open.wire_version()); !s.ok()) {
    return Break(std::move(s));
  }
  if (open.client().size() > kMaxClientName) {
    return Break(absl::InvalidArgumentError(
        absl::StrCat("client name of ", open.client().size(),
                     " bytes; at most ", kMaxClientName)));
  }
  if (!open.client().empty()) job_ = open.client();
  auto session = PlanSession(core_->graphs, open.spec());
  if (!session.ok()) return Break(session.status());
  core_->sessions.Put(*std::move(session));
}

void TrainerStream::OnCredit(const v1::Credit& credit, Received message) {
  CrashPoint("batch.credit");
  core_->metrics.credits.Add();
  if (grants_.contains(credit.grant())) {
    return Break(absl::InvalidArgumentError(
        absl::StrCat("grant ", credit.grant(), " is pending already")));
  }
  if (core_->draining) {
    return Refuse(credit.grant(),
                  absl::UnavailableError("this server is draining"));
  }
  if (!core_->weights.Serves(job_)) {
    return Refuse(credit.grant(), absl::PermissionDeniedError(absl::StrCat(
                                      "job '", job_,
                                      "' is not served here: the server's "
                                      "--job-weights do not list it")));
  }
  Session session = FindSession(core_->sessions, credit.session());
  if (session.plan == nullptr) {
    core_->metrics.unknown_session.Add();
    v1::UnknownSession unknown;
    unknown.set_grant(credit.grant());
    unknown.set_session(credit.session());
    return Send(MessageKind::kUnknownSession, unknown);
  }
  if (session.graph->retiring) {
    return Refuse(credit.grant(),
                  absl::UnavailableError(absl::StrCat(
                      "graph ", session.graph->name(), " is being retired")));
  }
  const size_t room_bytes =
      message.room == nullptr ? 0 : message.room->bytes().size();
  auto request =
      MakeBatchRequest(credit, message.payload, std::move(session.plan),
                       room_bytes, strand_->Now());
  if (!request.ok()) return Refuse(credit.grant(), request.status());
  Start start;
  start.request = *std::move(request);
  start.room = std::move(message.room);
  start.hold = HoldOf(*core_, session.graph);
  start.graph = std::move(session.graph);
  Admit(credit, std::move(start));
}

void TrainerStream::Admit(const v1::Credit& credit, Start start) {
  const BatchRequest& request = start.request;
  const uint64_t id = credit.grant();
  Grant grant;
  grant.stage = std::make_shared<GrantSink::StageCell>(v1::STAGE_QUEUED);
  grant.cancel = request.cancel;
  grant.arrived = strand_->Now();
  grant.inputs = request.input_number.size();
  const absl::Time deadline = request.deadline;

  grant.job = job_;
  if (core_->cpu_clock != nullptr) {
    grant.cpu = std::make_shared<CpuMeter>(core_->cpu_clock);
  }

  Admission::Batch batch;
  batch.job = job_;
  batch.stream = id_;
  batch.queued_bytes = InputBytes(request) + sizeof(Grant);
  batch.reserve_bytes =
      ReservationFor(start.graph->schema(), request, core_->budget->limit());
  batch.start = [self = shared_from_this(), id,
                 start = std::move(start)](Reservation reservation) mutable {
    self->strand_->Post([self, id, start = std::move(start),
                         reservation = std::move(reservation)]() mutable {
      self->StartTask(id, std::move(start), std::move(reservation));
    });
  };
  auto admitted = core_->admission->Enqueue(std::move(batch));
  if (!admitted.ok()) return Refuse(id, admitted.status());
  grant.admitted = *admitted;
  grant.queue_timer = strand_->PostAt(
      deadline, [self = shared_from_this(), id] { self->OnQueuedTooLong(id); });
  grants_.emplace(id, std::move(grant));
  ArmProgress();
}

// The grant is still here: Cancel and OnClosed leave what they could not take
// back from the queue until its task is gone.
void TrainerStream::StartTask(uint64_t id, Start start,
                              Reservation reservation) {
  auto it = grants_.find(id);
  if (it == grants_.end()) return;
  Grant& grant = it->second;
  strand_->CancelTimer(grant.queue_timer);
  if (grant.cancel.cancelled()) {
    reservation.Release();
    return OnTaskGone(id, grant.admitted);
  }
  CrashPoint("batch.start");
  grant.stage->store(v1::STAGE_SAMPLING);
  start.request.reserved_bytes = reservation.bytes();
  auto sink = std::make_shared<GrantSink>(
      std::move(reservation), std::move(start.room), std::move(start.hold),
      grant.stage, CallbacksOf(id, grant.admitted));
  const ServedGraph& served = start.graph->served;
  const BatchEnvironment environment{served.graph.get(), served.remote.get(),
                                     core_->executor, grant.cpu,
                                     served.rows.get()};
  StartBatchTask(environment, std::move(start.request), std::move(sink));
}

GrantSink::Callbacks TrainerStream::CallbacksOf(uint64_t id,
                                                Admission::BatchId admitted) {
  GrantSink::Callbacks callbacks;
  callbacks.ended = [self = shared_from_this(), id](TaskEnd end) {
    self->strand_->Post([self, id, end = std::move(end)]() mutable {
      self->OnTaskEnd(id, std::move(end));
    });
  };
  callbacks.waits = [core = core_, admitted](bool waits) {
    core->admission->SetWaits(admitted, waits);
  };
  callbacks.gone = [self = shared_from_this(), id, admitted] {
    self->strand_->Post(
        [self, id, admitted] { self->OnTaskGone(id, admitted); });
  };
  return callbacks;
}

void TrainerStream::OnQueuedTooLong(uint64_t id) {
  auto it = grants_.find(id);
  if (it == grants_.end() || !core_->admission->Cancel(it->second.admitted))
    return;
  grants_.erase(it);
  Refuse(id, absl::DeadlineExceededError(
                 "the credit's timeout passed before its turn came"));
}

void TrainerStream::OnCancel(uint64_t id) {
  auto it = grants_.find(id);
  if (it == grants_.end()) return SendReturned(id);
  Grant& grant = it->second;
  if (grant.cancelled) return;
  grant.cancelled = true;
  grant.cancel.Cancel();
  if (core_->admission->Cancel(grant.admitted)) {
    grant.task_over = true;
    strand_->CancelTimer(grant.queue_timer);
  }
  if (grant.sending) sender_->Cancel(id);
  // Else Returned follows when its task has let go of the room.
  if (grant.answered || grant.task_over) SendReturned(id);
  ForgetIfOver(id);
}

void TrainerStream::OnTaskEnd(uint64_t id, TaskEnd end) {
  auto it = grants_.find(id);
  if (it == grants_.end()) return;
  Grant& grant = it->second;
  if (end.kind == TaskEnd::Kind::kReady) grant.bytes = end.bytes;
  if (closed_ || grant.cancelled) return;
  grant.answered = true;
  switch (end.kind) {
    case TaskEnd::Kind::kReady:
      return SendBatch(id, grant, std::move(end));
    case TaskEnd::Kind::kNeeds: {
      core_->metrics.needs.Add();
      v1::Needs needs;
      needs.set_grant(id);
      needs.set_bytes(end.bytes);
      return Send(MessageKind::kNeeds, needs);
    }
    case TaskEnd::Kind::kFailed:
      core_->metrics.failed.Add();
      return SendError(id, end.why);
  }
}

void TrainerStream::SendBatch(uint64_t id, Grant& grant, TaskEnd end) {
  CrashPoint("batch.send");
  core_->metrics.batches.Add();
  core_->metrics.batch_bytes.Add(static_cast<double>(end.bytes));
  core_->metrics.inputs.Add(static_cast<double>(grant.inputs));
  core_->metrics.batch_seconds.Observe(
      absl::ToDoubleSeconds(strand_->Now() - grant.arrived));
  if (end.room == nullptr) {
    v1::Ready ready;
    ready.set_grant(id);
    ready.set_total(end.bytes);
    Send(MessageKind::kReady, ready, std::move(end.shared_room));
    return CrashPoint("batch.sent");
  }
  if (!Sends()) took_at_ = strand_->Now();
  grant.sending = true;
  grant.unread = end.bytes;
  grant.stage->store(v1::STAGE_SENDING);
  const auto bytes = std::as_const(end.room->buffer).span();
  // The network lets go on a thread of its own: the room is freed on ours.
  std::shared_ptr<const void> owner(
      bytes.data(), [self = shared_from_this(), id,
                     room = std::move(end.room)](const void*) mutable {
        auto* strand = self->strand_.get();
        strand->Post([self = std::move(self), id, room = std::move(room)] {
          self->OnSent(id);
        });
      });
  sender_->Send(id, bytes, std::move(owner));
  CrashPoint("batch.sent");
}

void TrainerStream::OnSent(uint64_t id) {
  auto it = grants_.find(id);
  if (it == grants_.end()) return;
  it->second.sending = false;
  ForgetIfOver(id);
}

void TrainerStream::OnTaskGone(uint64_t id, Admission::BatchId admitted) {
  auto it = grants_.find(id);
  if (it == grants_.end()) return core_->admission->Finish(admitted);
  Grant& grant = it->second;
  grant.task_over = true;
  Admission::Outcome outcome;
  if (grant.cpu != nullptr) outcome.cpu = grant.cpu->spent();
  outcome.bytes = grant.bytes;
  outcome.unread = grant.unread;
  core_->admission->Made(admitted, outcome);
  core_->job_metrics.Made(grant.job, core_->weights.Lists(grant.job), outcome);
  if (!grant.answered && grant.cancelled) {
    SendReturned(id);
  } else if (!grant.answered) {
    SendError(id, absl::InternalError("the task ended without an answer"));
  }
  ForgetIfOver(id);
}

void TrainerStream::ForgetIfOver(uint64_t id) {
  auto it = grants_.find(id);
  if (it != grants_.end() && it->second.task_over && !it->second.sending) {
    core_->admission->Finish(it->second.admitted);
    grants_.erase(it);
  }
}

void TrainerStream::Refuse(uint64_t grant, const absl::Status& why) {
  core_->metrics.refused.Add();
  SendError(grant, why);
}

}  // namespace tributary
