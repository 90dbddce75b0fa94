// Asks one question about each of many nodes, in whichever partition they are.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_NODE_QUESTIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_NODE_QUESTIONS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/ids/frontier.h"

namespace tributary {

// A question about each of `nodes`, internal ids of one type, which may repeat.
// A node is on this server if its partition of `edge_type` is.
struct NodeQuestion {
  const QuestionType* type = nullptr;  // of the questions to other servers
  int node_type = 0;
  int edge_type = 0;
  absl::Span<const uint64_t> nodes;
  // Answers for nodes of one partition of this server, with the effect of
  // `take`.
  std::function<absl::Status(const PartitionNodes&)> here;
  // Returns the larger of payload and answer for nodes[i]; at most 2 MiB.
  std::function<size_t(uint32_t i)> bytes;
  // Makes the message, payload and answer_bytes for the group's nodes
  // [from, to).
  std::function<PartitionQuestion(const PartitionNodes&, size_t from,
                                  size_t to)>
      make;
  // Takes a peer's answer; DATA_LOSS if it is not possible: then another
  // owner's answer overwrites what it has taken.
  std::function<absl::Status(const PartitionNodes&, size_t from, size_t to,
                             absl::Span<const uint8_t> answer)>
      take;
};

// Asks one NodeQuestion: partitions of other servers first, in questions of up
// to 2 MiB, so that peers work while the partitions of this server are read. On
// the task's strand; keeps itself alive until all answers are there.
class NodeQuestions : public std::enable_shared_from_this<NodeQuestions> {
 public:
  // Runs once, unless the task ends first; perhaps inside the call.
  using Done = absl::AnyInvocable<void(absl::Status)>;

  // `question`'s spans, and what its functions refer to, outlive the answer.
  static void Ask(const StepContext& context, NodeQuestion question, Done done);

  NodeQuestions(const StepContext& context, NodeQuestion question, Done done)
      : context_(context),
        question_(std::move(question)),
        done_(std::move(done)) {}

 private:
  void Start();
  void AskThere(const std::shared_ptr<const PartitionNodes>& group);
  void AskPiece(const std::shared_ptr<const PartitionNodes>& group, size_t from,
                size_t to);
  void FinishWhenAllIsThere();
  void Finish(absl::Status status);

  StepContext context_;
  NodeQuestion question_;
  Done done_;
  int in_flight_ = 0;
  bool asking_ = true;  // more questions may follow
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_NODE_QUESTIONS_H_
