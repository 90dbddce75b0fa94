#include "sampler_server/engine/node_time_step.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "sampler_server/engine/frontier.h"

namespace tributary {

void NodeTimeStep::Start(absl::Span<const uint64_t> nodes,
                         absl::Span<int64_t> times, Done done) {
  times_ = times;
  done_ = std::move(done);
  NodesByPartition parted =
      GroupByPartition(context_.graph->schema().node_types[node_type_], nodes);
  const auto self = shared_from_this();
  for (PartitionNodes& group : parted.groups) {
    if (context_.graph->nodes(node_type_, group.partition) == nullptr) {
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

absl::Status NodeTimeStep::Read(uint32_t partition,
                                absl::Span<const uint64_t> rows,
                                absl::Span<const uint32_t> index) {
  const absl::Span<const int64_t> time =
      context_.graph->nodes(node_type_, partition)->time;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= time.size()) {
      return absl::DataLossError(
          absl::StrCat("time of partition ", partition, " has ", time.size(),
                       " rows, row ", rows[i], " is wanted: verify the graph"));
    }
    times_[index[i]] = time[rows[i]];
  }
  return absl::OkStatus();
}

void NodeTimeStep::Ask(uint32_t partition, std::vector<uint64_t> rows,
                       std::vector<uint32_t> index) {
  if (context_.remote == nullptr) {
    return Finish(absl::FailedPreconditionError(
        absl::StrCat("partition ", partition,
                     " is not on this server, which has no peers")));
  }
  RemoteGather gather;
  gather.type = static_cast<uint32_t>(node_type_);
  gather.partition = partition;
  gather.time = true;
  gather.rows = std::move(rows);
  const uint64_t bytes = index.size() * sizeof(int64_t);
  ++in_flight_;
  context_.remote->Gather(
      std::move(gather), context_.LimitsFor(bytes), context_.strand,
      [self = shared_from_this(), partition,
       index = std::move(index)](absl::StatusOr<GatheredRows> reply) {
        if (self->done_ == nullptr || !self->context_.control->Live()) return;
        self->Take(partition, index, std::move(reply));
      });
}

void NodeTimeStep::Take(uint32_t partition, absl::Span<const uint32_t> index,
                        absl::StatusOr<GatheredRows> reply) {
  --in_flight_;
  if (!reply.ok()) return Finish(reply.status());
  if (reply->time.size() != index.size()) {
    return Finish(absl::DataLossError(absl::StrCat(
        "gather reply of partition ", partition, " has ", reply->time.size(),
        " times; ", index.size(), " were asked for")));
  }
  for (size_t i = 0; i < index.size(); ++i) {
    times_[index[i]] = reply->time[i];
  }
  if (in_flight_ == 0) Finish(absl::OkStatus());
}

void NodeTimeStep::Finish(absl::Status status) {
  Done done = std::exchange(done_, nullptr);
  if (done != nullptr) done(std::move(status));
}

}  // namespace tributary
