#include "sampler_server/engine/original_ids.h"

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "sampler_server/engine/frontier.h"

namespace tributary {

void OriginalIds::Ask(const StepContext& context, int node_type,
                      absl::Span<const uint64_t> nodes, absl::Span<int64_t> out,
                      Done done) {
  std::make_shared<OriginalIds>(context, node_type, out, std::move(done))
      ->Start(nodes);
}

void OriginalIds::Start(absl::Span<const uint64_t> nodes) {
  const auto self = shared_from_this();
  NodesByPartition parted =
      GroupByPartition(context_.graph->schema().node_types[node_type_], nodes);
  for (PartitionNodes& group : parted.groups) {
    const NodePartition* here =
        context_.graph->nodes(node_type_, group.partition);
    if (here == nullptr) {
      AskThere(group.partition, std::move(group.rows), std::move(group.index));
      if (done_ == nullptr) return;
      continue;
    }
    std::vector<int64_t> ids;
    ids.reserve(group.rows.size());
    for (const uint64_t row : group.rows) {
      if (row >= here->orig_id.size()) {
        return Finish(absl::DataLossError(absl::StrCat(
            "orig_id of partition ", group.partition, " has ",
            here->orig_id.size(), " rows, row ", row, " is wanted")));
      }
      ids.push_back(here->orig_id[row]);
    }
    const absl::Status status = Take(group.partition, group.index, ids);
    if (!status.ok()) return Finish(status);
  }
  if (in_flight_ == 0) return Finish(absl::OkStatus());
  context_.control->SetStage(BatchStage::kWaitingForPeer);
}

void OriginalIds::AskThere(uint32_t partition, std::vector<uint64_t> rows,
                           Places places) {
  if (context_.remote == nullptr) {
    return Finish(absl::FailedPreconditionError(
        absl::StrCat("partition ", partition,
                     " is not on this server, which has no peers")));
  }
  RemoteGather gather;
  gather.type = static_cast<uint32_t>(node_type_);
  gather.partition = partition;
  gather.orig_id = true;
  gather.rows = std::move(rows);
  const uint64_t bytes = places.size() * sizeof(int64_t);
  ++in_flight_;
  context_.remote->Gather(
      std::move(gather), context_.LimitsFor(bytes), context_.strand,
      [self = shared_from_this(), partition,
       places = std::move(places)](absl::StatusOr<GatheredRows> reply) {
        if (self->done_ == nullptr || !self->context_.control->Live()) return;
        --self->in_flight_;
        if (!reply.ok()) return self->Finish(reply.status());
        const absl::Status status =
            self->Take(partition, places, reply->orig_id);
        if (!status.ok()) return self->Finish(status);
        if (self->in_flight_ == 0) self->Finish(absl::OkStatus());
      });
}

absl::Status OriginalIds::Take(uint32_t partition, const Places& places,
                               absl::Span<const int64_t> ids) {
  const int64_t num_nodes =
      context_.graph->schema().node_types[node_type_].num_nodes;
  if (ids.size() != places.size()) {
    return absl::DataLossError(absl::StrCat(
        "gather reply of partition ", partition, " has ", ids.size(),
        " original ids; ", places.size(), " were asked for"));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= num_nodes) {
      return absl::DataLossError(absl::StrCat("original id ", ids[i],
                                              " in partition ", partition,
                                              " of ", num_nodes, " nodes"));
    }
    out_[places[i]] = ids[i];
  }
  return absl::OkStatus();
}

void OriginalIds::Finish(absl::Status status) {
  Done done = std::exchange(done_, nullptr);
  if (done != nullptr) done(std::move(status));
}

}  // namespace tributary
