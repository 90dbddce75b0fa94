// What a kind of sampling asks of nodes that any partition may hold.
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

// One thing that is asked of each of `nodes`, internal ids of one type; an id
// may come more than once. A node's partition is here when `edge_type`'s is.
struct NodeQuestion {
  const QuestionType* type = nullptr;  // of the questions to other servers
  int node_type = 0;
  int edge_type = 0;
  absl::Span<const uint64_t> nodes;
  // Of nodes that are here, at once; what `take` would do with the answer.
  std::function<absl::Status(const PartitionNodes&)> here;
  // The larger of payload and answer for nodes[i]: at most 2 MiB.
  std::function<size_t(uint32_t i)> bytes;
  // Of the group's nodes [from, to): question, payload, answer_bytes.
  std::function<PartitionQuestion(const PartitionNodes&, size_t from,
                                  size_t to)>
      make;
  // A peer's answer: DATA_LOSS where it cannot be.
  std::function<absl::Status(const PartitionNodes&, size_t from, size_t to,
                             absl::Span<const uint8_t> answer)>
      take;
};

// Asks it, once: partitions of other servers first, in questions of some MiB,
// so that they answer while those here are read. On the task's strand; keeps
// itself alive until the answer.
class NodeQuestions : public std::enable_shared_from_this<NodeQuestions> {
 public:
  // Once, unless the task ends first; perhaps inside the call.
  using Done = absl::AnyInvocable<void(absl::Status)>;

  // Spans and what the functions refer to outlive the answer.
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
