// A trainer that sends what a test tells it to and records the answers.
#ifndef TRIBUTARY_SAMPLER_SERVER_TESTING_SCRIPTED_TRAINER_H_
#define TRIBUTARY_SAMPLER_SERVER_TESTING_SCRIPTED_TRAINER_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "channel/frame_assembler.h"
#include "channel/transport.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/mutex.h"
#include "common/session/spec_builder.h"
#include "partition/schema/schema.h"

namespace tributary {

// A session and what it samples: the inputs in list order and the options.
struct TrainerSession {
  std::string spec;  // bytes
  Sha256Digest identity{};
  std::vector<int64_t> inputs;
  SpecOptions options;
  std::vector<int64_t> input_time;  // per input, with InputTimeMode::kGiven
};

// Builds a session. Aborts the test when the options are refused.
TrainerSession MakeSession(const GraphSchema& schema, SpecOptions options,
                           std::vector<int64_t> inputs,
                           std::vector<int64_t> input_time = {});

// One batch stream, over any transport. Thread-safe. The answer to a grant is
// recorded as text: "ready DIGEST", "filled BYTES" for a batch in the room that
// was lent, "compact N" for one that lacks N bytes, "needs N", "error CODE
// MESSAGE" (with " retry" at its end when it is retryable), "unknown",
// "returned"; a second answer follows after "; ".
class ScriptedTrainer : public StreamHandler,
                        public std::enable_shared_from_this<ScriptedTrainer> {
 public:
  static std::shared_ptr<ScriptedTrainer> Connect(Transport* transport,
                                                  const Address& address);

  void Open(const TrainerSession& session, const std::string& client = "job");
  // Asks for batch `index` of epoch 0, as grant `index`.
  void Ask(const TrainerSession& session, uint64_t index,
           uint64_t max_bytes = 4096, uint64_t timeout_ms = 10000);
  // Returns the credit that Ask sends, for a test to change.
  static v1::Credit MakeCredit(const TrainerSession& session, uint64_t index,
                               uint64_t max_bytes, uint64_t timeout_ms);
  void Send(const v1::Credit& credit,
            std::shared_ptr<SharedRoom> room = nullptr,
            std::vector<uint8_t> payload = {});
  void Send(MessageKind kind, std::string header);
  void SendRaw(OutgoingMessage message);
  void Cancel(uint64_t grant);
  void Close() { stream_->Close(absl::OkStatus()); }

  // Returns the answers to a grant; empty when there was none yet.
  std::string answer(uint64_t grant) const;
  size_t answers() const;
  bool closed() const;
  absl::Status why_closed() const;
  // For transports with threads: waits until `count` grants are answered.
  // Returns false when fewer were within `timeout`.
  bool AwaitAnswers(size_t count, std::chrono::seconds timeout);
  // Returns the stages that Progress named for the grant, without repeats.
  std::vector<v1::Stage> stages(uint64_t grant) const;
  // Returns how often Progress named the grant.
  int progress_count(uint64_t grant) const;

  void OnMessage(IncomingMessage& message) override;
  void OnClosed(const absl::Status& why) override;

 private:
  void OnFrame(IncomingMessage& message);
  void OnProgress(const v1::Progress& progress);
  void Answer(uint64_t grant, const std::string& text);

  struct Room {
    Room(size_t bytes, bool compact)
        : slot(bytes), frames(slot.span(), compact) {}
    AlignedBuffer slot;
    FrameAssembler frames;
  };

  std::shared_ptr<Stream> stream_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::map<uint64_t, std::unique_ptr<Room>> rooms_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, std::string> answers_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, std::vector<v1::Stage>> stages_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, int> progress_counts_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status why_closed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TESTING_SCRIPTED_TRAINER_H_
