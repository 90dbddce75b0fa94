#include "sampler_server/service/trainer_stream.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "common/observe/log.h"
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
      grants_(std::make_shared<StreamGrants>(core_, id, strand_, answers_)),
      inbox_(std::make_shared<MessageShare>(
          core_->inbox_budget->Open(caller_->share_key()))),
      sessions_(core_) {
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
        if (!self->answers_->closed()) self->Handle(received.Parse());
      });
}

void TrainerStream::OnClosed(const absl::Status& why) {
  core_->metrics.streams.Add(-1);
  if (!why.ok()) {
    LogRepeated(LogLevel::kInfo,
                absl::StrCat("batch stream ", caller_->address),
                absl::StrCat("batch stream of ", caller_->address,
                             " closed: ", why.ToString()));
  }
  strand_->Post([self = shared_from_this()] {
    self->answers_->Stop();
    self->strand_->CancelTimer(self->progress_timer_);
    self->grants_->CancelAll();
    self->core_->wait_reports.Remove(self->id_);
  });
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
  const absl::Status opened =
      sessions_.Open(std::get<v1::OpenSession>(*message));
  if (!opened.ok()) answers_->Break(opened);
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
  grants_->Admit(credit.grant(),
                 {sessions_.job(), *std::move(request), std::move(message.room),
                  std::move(session->graph)});
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
