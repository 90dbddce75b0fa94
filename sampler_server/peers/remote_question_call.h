// Asks another server a question about a partition.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_REMOTE_QUESTION_CALL_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_REMOTE_QUESTION_CALL_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "channel/call_client.h"
#include "common/io/buffer.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/executor.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/peers/peer_directory.h"

namespace tributary {

// Asks the partition's owners one question, with one owner call
// (owner_call.h).
//
// Create with std::make_shared; its pending call keeps it alive. Start and all
// callbacks run on the strand. `done` gets the answer, of exactly
// `question.answer_bytes`, or the owner call's error; INTERNAL when question or
// answer is larger than a message. It does not run after `limits.cancel`. An
// answer of another size is an error of that owner (DATA_LOSS), and another one
// is asked.
class RemoteQuestionCall
    : public std::enable_shared_from_this<RemoteQuestionCall> {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<AlignedBuffer>)>;

  RemoteQuestionCall(const GraphSchema& schema, PartitionQuestion question,
                     Done done);

  // Called once, on `strand`.
  void Start(std::shared_ptr<PeerDirectory> directory,
             const RemotePartitions::Limits& limits,
             std::shared_ptr<Strand> strand);

 private:
  absl::Status Accept(CallReply reply);

  PartitionQuestion question_;  // its message has been moved to request_
  v1::QuestionRequest request_;
  Done done_;
  AlignedBuffer answer_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_REMOTE_QUESTION_CALL_H_
