// The grants of one trainer's batch stream: each from its credit through
// admission, task and room to its answer.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAM_GRANTS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAM_GRANTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/caller.h"
#include "common/observe/log_format.h"
#include "common/proto/trace.pb.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "sampler_server/engine/batch/peer_calls.h"
#include "sampler_server/service/grants/answer_sender.h"
#include "sampler_server/service/grants/grant_sink.h"
#include "sampler_server/service/grants/grant_state.h"
#include "sampler_server/service/grants/reader_stall.h"
#include "sampler_server/service/grants/stage_times.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// A credit that has been checked.
struct GrantedBatch {
  std::string job;  // that it is charged to
  BatchRequest request;
  std::shared_ptr<SharedRoom> lent;  // the trainer's slot; null: none was lent
  std::shared_ptr<HeldGraph> graph;
  std::string trace_id;  // empty: the trainer does not ask for its trace
};

// A grant waits for its turn (Admission), starts a task with the memory that
// was reserved for it, and is answered by what the task makes; GrantState says
// which answer is due. It is forgotten, and its place in Admission free, when
// its task is over and its frames are out.
//
// Belongs to the stream's strand: all methods are called there, and all events
// are posted to it. Create with std::make_shared; grants that are under way
// keep it alive.
class StreamGrants : public std::enable_shared_from_this<StreamGrants> {
 public:
  // `stream` tells the streams of a service apart; places in the queue are
  // counted by `caller`.
  StreamGrants(std::shared_ptr<ServiceCore> core, uint64_t stream,
               CallerPtr caller, std::shared_ptr<Strand> strand,
               std::shared_ptr<AnswerSender> answers);

  bool Contains(uint64_t grant) const { return grants_.contains(grant); }
  bool empty() const { return grants_.empty(); }

  // Queues the batch, or refuses it as Admission::Enqueue says. Requires
  // !Contains(grant).
  void Admit(uint64_t grant, GrantedBatch batch);
  // Answers a credit that is not queued.
  void Refuse(uint64_t grant, const absl::Status& why);
  // Returned follows: at once, also for a grant that is not known (any more),
  // or when the task no longer writes to the room.
  void Cancel(uint64_t grant);
  // The stream has closed: cancels all grants, answers none. What a running
  // task holds is released when it ends.
  void CancelAll();

  // The stage of each grant that the trainer waits for.
  v1::Progress Progress() const;
  // Returns ReaderStall::Poll for the stream now.
  std::optional<absl::Duration> PollStall();

 private:
  struct Grant {
    GrantState state;
    BatchKey key;
    std::shared_ptr<StageTimes> stages;
    CancelToken cancel;
    Admission::BatchId admitted = 0;
    std::string job;
    std::shared_ptr<CpuMeter> cpu;  // null: not measured
    size_t bytes = 0;               // made for the trainer, once they are
    size_t left_out = 0;            // of the batch, beside these
    size_t compact = 0;             // of these: by compact edges
    size_t unread = 0;              // of them, in the memory budget
    TimerId queue_timer = 0;
    uint64_t inputs = 0;
    std::shared_ptr<PeerCalls> calls;
    BatchesAhead ahead;     // when it came
    bool recorded = false;  // in core_->recent_batches
  };
  // The data of a grant between its admission and its task.
  struct QueuedTask;

  Grant* Find(uint64_t id);
  Grant MakeGrant(const GrantedBatch& batch) const;
  void StartTask(uint64_t id, QueuedTask task, Reservation reservation);
  GrantSink::Callbacks CallbacksOf(uint64_t id, Admission::BatchId admitted);
  void OnQueueTimeout(uint64_t id);
  void OnTaskEnd(uint64_t id, TaskEnd end);
  void OnTaskGone(uint64_t id, Admission::BatchId admitted);
  void CountBatch(const Grant& grant);
  void CountDelivered(Grant& grant);
  v1::BatchTrace TraceOf(const Grant& grant) const;
  // Returns the trace if the trainer asks for it, else null.
  std::unique_ptr<v1::BatchTrace> TraceFor(const Grant& grant) const;
  // Keeps what is known of a batch that has ended. Only the first call counts.
  void Record(Grant& grant, v1::BatchTrace::Outcome outcome,
              const absl::Status& why = absl::OkStatus());
  LogFields FieldsOf(const Grant& grant) const;
  void LogFailed(const Grant& grant, const absl::Status& why) const;
  void LogDelivered(const Grant& grant, const TimesByStage& times) const;
  void SendBatch(uint64_t id, Grant& grant, TaskEnd end);
  void OnFramesOut(uint64_t id);
  bool sending() const;
  void ForgetIfOver(uint64_t id);

  const std::shared_ptr<ServiceCore> core_;
  const uint64_t stream_;
  const CallerPtr caller_;
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<AnswerSender> answers_;
  ReaderStall stall_;
  std::map<uint64_t, Grant> grants_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_STREAM_GRANTS_H_
