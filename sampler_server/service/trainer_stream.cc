#include "sampler_server/service/trainer_stream.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "common/observe/log_format.h"
#include "common/runtime/fault_point.h"
#include "sampler_server/service/grants/credit_check.h"

namespace tributary {
namespace {

constexpr absl::Duration kProgressInterval = absl::Milliseconds(100);

}  // namespace

TrainerStream::TrainerStream(std::shared_ptr<ServiceCore> core, uint64_t id,
                             CallerPtr caller, std::shared_ptr<Stream> stream)
    : core_(std::move(core)),
      id_(id),
      caller_(std::move(caller)),
      strand_(std::make_shared<Strand>(core_->protocol_executor)),
      answers_(std::make_shared<AnswerSender>(
          core_->streams->Open(StreamMethod::kBatches, *caller_,
                               std::move(stream)),
          core_->protocol_executor, core_->frames)),
      grants_(std::make_shared<StreamGrants>(core_, id, caller_, strand_,
                                             answers_)),
      inbox_(std::make_shared<MessageShare>(
          core_->inbox_budget->Open(caller_->share_key()))),
      sessions_(core_, caller_),
      planning_turns_(
          core_->planning.Of(caller_->share_key(), core_->protocol_executor)),
      presence_(core_->farewells->CountStream(*caller_)) {
  core_->metrics.streams.Add(1);
}

void TrainerStream::OnMessage(IncomingMessage& message) {
  auto received = inbox_.Take(message);
  if (!received.ok()) {
    if (absl::IsResourceExhausted(received.status())) {
      core_->streams->metrics().flooded.Add();
    }
    return answers_->Close(received.status());
  }
  strand_->Post(
      [self = shared_from_this(), received = *std::move(received)]() mutable {
        self->Receive(std::move(received));
      });
}

void TrainerStream::OnClosed(const absl::Status& why) {
  core_->metrics.streams.Add(-1);
  if (!why.ok()) {
    LogRepeated(LogLevel::kInfo, "batch stream closed", caller_->share_key(),
                absl::StrCat("batch stream of ", caller_->address,
                             " closed: ", why.ToString()),
                {{"job", sessions_.job()}});
  }
  strand_->Post([self = shared_from_this()] {
    self->answers_->Stop();
    self->strand_->CancelTimer(self->progress_timer_);
    self->grants_->CancelAll();
    self->core_->wait_reports.Remove(self->id_);
    self->waiting_.clear();
    self->presence_.reset();
  });
}

void TrainerStream::Receive(QueuedMessage message) {
  if (answers_->closed()) return;
  if (planning_) return waiting_.push_back(std::move(message));
  Handle(message.Parse());
}

void TrainerStream::Handle(absl::StatusOr<TrainerMessage> message) {
  if (!message.ok()) return answers_->Break(message.status());
  if (auto* credit = std::get_if<CreditMessage>(&*message)) {
    return OnCredit(std::move(*credit));
  }
  if (const auto* cancel = std::get_if<v1::Cancel>(&*message)) {
    return grants_->Cancel(cancel->grant());
  }
  if (const auto* report = std::get_if<v1::WaitReport>(&*message)) {
    return OnWaitReport(*report);
  }
  OnOpenSession(std::move(std::get<v1::OpenSession>(*message)));
}

void TrainerStream::OnOpenSession(v1::OpenSession open) {
  const absl::StatusOr<bool> opened = sessions_.Begin(open);
  if (!opened.ok()) return answers_->Break(opened.status());
  if (*opened) return;
  planning_ = true;
  planning_turns_->Post([self = shared_from_this(),
                         spec = std::move(*open.mutable_spec())]() mutable {
    auto session = self->sessions_.Plan(spec);
    Strand* const strand = self->strand_.get();
    strand->Post([self = std::move(self), spec = std::move(spec),
                  session = std::move(session)]() mutable {
      self->OnPlanned(spec, std::move(session));
    });
  });
}

void TrainerStream::OnPlanned(const std::string& spec,
                              absl::StatusOr<Session> session) {
  planning_ = false;
  if (answers_->closed()) return;
  const absl::Status opened = sessions_.End(spec, std::move(session));
  if (!opened.ok()) return answers_->Break(opened);
  while (!waiting_.empty() && !planning_) {
    QueuedMessage message = std::move(waiting_.front());
    waiting_.pop_front();
    Receive(std::move(message));
  }
}

void TrainerStream::OnWaitReport(const v1::WaitReport& report) {
  if (report.wait_permille() > 1000) {
    return answers_->Break(absl::InvalidArgumentError(
        absl::StrCat("a WaitReport of ", report.wait_permille(),
                     " thousandths; at most 1000 are in a minute")));
  }
  if (!core_->weights.Serves(sessions_.job())) return;
  core_->wait_reports.Set(id_, sessions_.job(), report.wait_permille() / 1000.0,
                          strand_->Now());
}

void TrainerStream::OnCredit(CreditMessage message) {
  CrashPoint("batch.credit");
  core_->metrics.credits.Add();
  const v1::Credit& credit = message.credit;
  if (grants_->Contains(credit.grant())) {
    return answers_->Break(absl::InvalidArgumentError(
        absl::StrCat("grant ", credit.grant(), " is pending already")));
  }
  auto session = sessions_.Find(credit.session());
  if (!session.ok()) return grants_->Refuse(credit.grant(), session.status());
  if (session->plan == nullptr) {
    core_->metrics.unknown_session.Add();
    return answers_->SendUnknownSession(credit.grant(), credit.session());
  }
  auto plan =
      core_->plans->Hold(std::move(session->plan), caller_->share_key());
  if (!plan.ok()) return grants_->Refuse(credit.grant(), plan.status());
  const size_t lent_bytes =
      message.room == nullptr ? 0 : message.room->bytes().size();
  auto request = MakeBatchRequest(credit, message.payload, *std::move(plan),
                                  lent_bytes, strand_->Now());
  if (!request.ok()) return grants_->Refuse(credit.grant(), request.status());
  if (lent_bytes == 0) {
    auto rows = TrainerRowsOf(credit, session->graph->served.hot_lists,
                              session->graph->schema().node_types.size());
    if (!rows.ok()) return grants_->Refuse(credit.grant(), rows.status());
    request->trainer_rows = *std::move(rows);
    request->compact = credit.compact();
  }
  request->deadline =
      std::min(request->deadline, strand_->Now() + core_->max_credit_time);
  grants_->Admit(credit.grant(),
                 {sessions_.job(), *std::move(request), std::move(message.room),
                  std::move(session->graph), credit.trace_id()});
  ArmProgress();
}

void TrainerStream::ArmProgress() {
  if (progress_timer_ != 0 || grants_->empty() || answers_->closed()) return;
  progress_timer_ = strand_->PostAfter(
      kProgressInterval,
      [self = shared_from_this()] { self->OnProgressTimer(); });
}

void TrainerStream::OnProgressTimer() {
  progress_timer_ = 0;
  if (const auto stalled = grants_->PollStall()) {
    core_->streams->metrics()
        .held_up[static_cast<size_t>(StreamMethod::kBatches)]
        .Add();
    return answers_->Break(absl::ResourceExhaustedError(absl::StrCat(
        "nothing of this stream was taken for ", absl::FormatDuration(*stalled),
        " while others wait for the memory that it holds")));
  }
  answers_->SendProgress(grants_->Progress());
  ArmProgress();
}

}  // namespace tributary
