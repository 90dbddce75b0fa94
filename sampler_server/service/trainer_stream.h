// One trainer's stream of credits and batches, as the server sees it.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_TRAINER_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_TRAINER_STREAM_H_

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "channel/frame_sender.h"
#include "channel/transport.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "sampler_server/service/grant_sink.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// A grant is pending from its credit to its answer: a batch, Needs, BatchError,
// UnknownSession or Returned. Each credit gets exactly one, but that a Cancel
// is answered by Returned even when the batch went out before it. What breaks
// the protocol closes the stream; when it closes, all its tasks are cancelled
// and all they hold goes back.
class TrainerStream final : public StreamHandler,
                            public std::enable_shared_from_this<TrainerStream> {
 public:
  TrainerStream(std::shared_ptr<ServiceCore> core, uint64_t id,
                std::string peer, std::shared_ptr<Stream> stream);

  // The job of clients that say none: that of loaders which were told none.
  static constexpr char kUnnamedJob[] = "default";

  // Called by the transport.
  void OnMessage(IncomingMessage& message) override;
  void OnClosed(const absl::Status& why) override;
  // Any thread. OnClosed follows.
  void Close(absl::Status why) { stream_->Close(std::move(why)); }

 private:
  struct Grant {
    std::shared_ptr<GrantSink::StageCell> stage;
    CancelToken cancel;
    Admission::BatchId admitted = 0;
    std::string job;
    std::shared_ptr<CpuMeter> cpu;
    size_t bytes = 0;   // of the batch, once it is made
    size_t unread = 0;  // of them, in the budget
    TimerId queue_timer = 0;
    absl::Time arrived;
    uint64_t inputs = 0;
    bool answered = false;   // by a batch, Needs or an error
    bool cancelled = false;  // by the trainer
    bool task_over = false;
    bool sending = false;  // frames are left
  };

  // All below run on the strand.
  struct Received {
    MessageKind kind{};
    std::string header;
    std::vector<uint8_t> payload;  // of a credit for links
    std::shared_ptr<SharedRoom> room;
    size_t bytes() const { return header.size() + payload.size(); }
  };
  void Handle(Received message);
  void OnOpenSession(const v1::OpenSession& open);
  void OnCredit(const v1::Credit& credit, Received message);
  struct Start {
    BatchRequest request;
    std::shared_ptr<SharedRoom> room;
    std::shared_ptr<HeldGraph> graph;
    std::shared_ptr<const void> hold;  // of the graph and of the server
  };
  void Admit(const v1::Credit& credit, Start start);
  void StartTask(uint64_t grant, Start start, Reservation reservation);
  void OnQueuedTooLong(uint64_t grant);
  void OnCancel(uint64_t grant);
  void OnTaskEnd(uint64_t grant, TaskEnd end);
  void OnTaskGone(uint64_t grant, Admission::BatchId admitted);
  GrantSink::Callbacks CallbacksOf(uint64_t id, Admission::BatchId admitted);
  void SendBatch(uint64_t grant, Grant& state, TaskEnd end);
  void OnSent(uint64_t grant);
  void OnClosedOnStrand();

  void Break(absl::Status why);
  void Refuse(uint64_t grant, const absl::Status& why);
  void SendError(uint64_t grant, const absl::Status& why);
  void SendReturned(uint64_t grant);
  // `room`: given back with it.
  void Send(MessageKind kind, const google::protobuf::MessageLite& header,
            std::shared_ptr<SharedRoom> room = nullptr);
  void ArmProgress();
  void SendProgress();
  bool Sends() const;
  bool HoldsOthersUp();
  void ForgetIfOver(uint64_t grant);

  const std::shared_ptr<ServiceCore> core_;
  const uint64_t id_;
  const std::string peer_;
  const std::shared_ptr<Stream> stream_;
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<FrameSender> sender_;
  std::atomic<int> unhandled_{0};  // messages taken in, not yet handled
  std::atomic<size_t> unhandled_bytes_{0};  // of their headers

  std::string job_ = kUnnamedJob;
  uint64_t frames_taken_ = 0;  // when somebody looked last
  absl::Time took_at_;         // or had nothing to take
  std::map<uint64_t, Grant> grants_;
  TimerId progress_timer_ = 0;
  bool closed_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_TRAINER_STREAM_H_
