// One trainer's stream of credits and batches, as the server sees it.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_TRAINER_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_TRAINER_STREAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "channel/transport.h"
#include "common/runtime/executor.h"
#include "sampler_server/service/grants/answer_sender.h"
#include "sampler_server/service/grants/trainer_inbox.h"
#include "sampler_server/service/service_core.h"
#include "sampler_server/service/stream_grants.h"
#include "sampler_server/service/stream_sessions.h"

namespace tributary {

// Takes messages in (TrainerInbox) and dispatches them on a strand of its own:
// sessions to StreamSessions, credits and cancels to StreamGrants, reports of
// waits to WaitReports, answers by AnswerSender. Tells the trainer every 100 ms
// what its grants are waiting for. A session that nobody has opened yet is
// planned in the caller's turn (PlanningTurns); what the trainer has sent
// behind it waits.
//
// Each credit gets exactly one answer: a batch, Needs, BatchError,
// UnknownSession or Returned; a Cancel is answered by Returned even when the
// batch went out before it. A message that breaks the protocol closes the
// stream. When the stream closes, for whatever reason, all its tasks are
// cancelled and all that they hold is released.
//
// Held by the transport until OnClosed, and by its grants. Thread-safe.
class TrainerStream final : public StreamHandler,
                            public std::enable_shared_from_this<TrainerStream> {
 public:
  // `id` differs among the streams of a service; `caller` is the trainer.
  TrainerStream(std::shared_ptr<ServiceCore> core, uint64_t id,
                CallerPtr caller, std::shared_ptr<Stream> stream);

  // Called by the transport.
  void OnMessage(IncomingMessage& message) override;
  void OnClosed(const absl::Status& why) override;
  // Closes the stream; OnClosed follows.
  void Close(absl::Status why) { answers_->Close(std::move(why)); }

 private:
  // All below run on the strand.
  void Receive(QueuedMessage message);
  void Handle(absl::StatusOr<TrainerMessage> message);
  void OnOpenSession(v1::OpenSession open);
  void OnPlanned(const std::string& spec, absl::StatusOr<Session> session);
  void OnCredit(CreditMessage message);
  void OnWaitReport(const v1::WaitReport& report);
  void ArmProgress();
  void OnProgressTimer();

  const std::shared_ptr<ServiceCore> core_;
  const uint64_t id_;
  const CallerPtr caller_;
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<AnswerSender> answers_;
  const std::shared_ptr<StreamGrants> grants_;
  TrainerInbox inbox_;
  StreamSessions sessions_;
  const std::shared_ptr<Strand> planning_turns_;  // of the caller
  bool planning_ = false;              // a session; messages wait meanwhile
  std::deque<QueuedMessage> waiting_;  // within the inbox's limits
  TimerId progress_timer_ = 0;
  std::shared_ptr<const void> presence_;  // Farewells::CountStream
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_TRAINER_STREAM_H_
