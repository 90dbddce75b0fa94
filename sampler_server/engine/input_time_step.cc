#include "sampler_server/engine/input_time_step.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "sampler_server/engine/frontier.h"

namespace tributary {

void InputTimeStep::Start(absl::Span<const uint64_t> nodes, Done done) {
  done_ = std::move(done);
  context_.state->tree_time.resize(nodes.size());
  const int type = context_.plan->input_type;
  NodesByPartition parted =
      GroupByPartition(context_.graph->schema().node_types[type], nodes);
  const auto self = shared_from_this();
  for (PartitionNodes& group : parted.groups) {
    if (context_.graph->nodes(type, group.partition) == nullptr) {
      Ask(group.partition, std::move(group.rows), std::move(group.index));
    } else {
      const absl::Status status =
          Read(group.partition, group.rows, group.index);
      if (!status.ok()) return Finish(status);
    }
    if (done_ == nullptr) return;
  }
  if (in_flight_ == 0) return Finish(absl::OkStatus());
  context_.control->SetStage(BatchStage::kWaitingForPeer);
}

absl::Status InputTimeStep::Read(uint32_t partition,
                                 absl::Span<const uint64_t> rows,
                                 absl::Span<const uint32_t> trees) {
  const absl::Span<const int64_t> time =
      context_.graph->nodes(context_.plan->input_type, partition)->time;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= time.size()) {
      return absl::DataLossError(
          absl::StrCat("time of partition ", partition, " has ", time.size(),
                       " rows, row ", rows[i], " is wanted: verify the graph"));
    }
    context_.state->tree_time[trees[i]] = time[rows[i]];
  }
  return absl::OkStatus();
}

void InputTimeStep::Ask(uint32_t partition, std::vector<uint64_t> rows,
                        std::vector<uint32_t> trees) {
  if (context_.remote == nullptr) {
    return Finish(absl::FailedPreconditionError(
        absl::StrCat("partition ", partition,
                     " is not on this server, which has no peers")));
  }
  RemoteGather gather;
  gather.type = static_cast<uint32_t>(context_.plan->input_type);
  gather.partition = partition;
  gather.time = true;
  gather.rows = std::move(rows);
  ++in_flight_;
  context_.remote->Gather(
      std::move(gather), context_.LimitsFor(trees.size() * sizeof(int64_t)),
      context_.strand,
      [self = shared_from_this(), partition,
       trees = std::move(trees)](absl::StatusOr<GatheredRows> reply) {
        if (self->done_ == nullptr || !self->context_.control->Live()) return;
        self->Take(partition, trees, std::move(reply));
      });
}

void InputTimeStep::Take(uint32_t partition, absl::Span<const uint32_t> trees,
                         absl::StatusOr<GatheredRows> reply) {
  --in_flight_;
  if (!reply.ok()) return Finish(reply.status());
  if (reply->time.size() != trees.size()) {
    return Finish(absl::DataLossError(absl::StrCat(
        "gather reply of partition ", partition, " has ", reply->time.size(),
        " times; ", trees.size(), " were asked for")));
  }
  for (size_t i = 0; i < trees.size(); ++i) {
    context_.state->tree_time[trees[i]] = reply->time[i];
  }
  if (in_flight_ == 0) Finish(absl::OkStatus());
}

void InputTimeStep::Finish(absl::Status status) {
  Done done = std::exchange(done_, nullptr);
  if (done != nullptr) done(std::move(status));
}

}  // namespace tributary
