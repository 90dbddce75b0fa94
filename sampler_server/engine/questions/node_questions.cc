#include "sampler_server/engine/questions/node_questions.h"

#include <vector>

#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/engine/batch/partition_error.h"

namespace tributary {
namespace {

// Of payload and answer of a question; both stay below kMaxQuestionBytes.
constexpr size_t kMostBytes = size_t{2} << 20;

}  // namespace

void NodeQuestions::Ask(const StepContext& context, NodeQuestion question,
                        Done done) {
  std::make_shared<NodeQuestions>(context, std::move(question), std::move(done))
      ->Start();
}

void NodeQuestions::Start() {
  const auto self = shared_from_this();
  NodesByPartition parted =
      GroupByPartition(context_.graph->schema().node_types[question_.node_type],
                       question_.nodes);
  FreeMemory(parted.group_of);
  std::vector<PartitionNodes> here;
  for (PartitionNodes& group : parted.groups) {
    if (context_.graph->edges(question_.edge_type, group.partition) !=
        nullptr) {
      here.push_back(std::move(group));
      continue;
    }
    AskThere(std::make_shared<const PartitionNodes>(std::move(group)));
    if (done_ == nullptr) return;
  }
  for (const PartitionNodes& group : here) {
    const absl::Status status =
        NamePartition(question_.here(group), group.partition);
    if (!status.ok()) return Finish(status);
    if (!context_.control->ContinueOrEnd()) return;
  }
  asking_ = false;
  FinishWhenAllIsThere();
}

void NodeQuestions::AskThere(
    const std::shared_ptr<const PartitionNodes>& group) {
  if (context_.remote == nullptr) {
    return Finish(NoPeersError(group->partition));
  }
  for (size_t from = 0; from < group->rows.size();) {
    size_t to = from;
    size_t bytes = 0;
    do {
      bytes += question_.bytes(group->index[to++]);
    } while (to < group->rows.size() &&
             bytes + question_.bytes(group->index[to]) <= kMostBytes);
    AskPiece(group, from, to);
    from = to;
  }
}

void NodeQuestions::AskPiece(const std::shared_ptr<const PartitionNodes>& group,
                             size_t from, size_t to) {
  PartitionQuestion asked = question_.make(*group, from, to);
  asked.type = question_.type;
  asked.partition = group->partition;
  asked.check = [self = shared_from_this(), group, from,
                 to](absl::Span<const uint8_t> answer) -> absl::Status {
    if (self->done_ == nullptr || !self->context_.control->ContinueOrEnd()) {
      return absl::OkStatus();
    }
    return self->question_.take(*group, from, to, answer);
  };
  ++in_flight_;
  context_.remote->Ask(
      std::move(asked), context_.LimitsFor(0), context_.strand,
      [self = shared_from_this()](absl::StatusOr<AlignedBuffer> answer) {
        if (self->done_ == nullptr || !self->context_.control->ContinueOrEnd())
          return;
        --self->in_flight_;
        if (!answer.ok()) return self->Finish(answer.status());
        self->FinishWhenAllIsThere();
      });
}

void NodeQuestions::FinishWhenAllIsThere() {
  if (asking_) return;
  if (in_flight_ == 0) return Finish(absl::OkStatus());
  context_.control->SetStage(BatchStage::kWaitingForPeer);
}

void NodeQuestions::Finish(absl::Status status) {
  Done done = std::exchange(done_, nullptr);
  if (done != nullptr) done(std::move(status));
}

}  // namespace tributary
