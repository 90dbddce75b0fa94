#include "sampler_server/engine/steps/node_column_step.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "sampler_server/engine/batch/partition_error.h"
#include "sampler_server/engine/ids/frontier.h"

namespace tributary {
namespace {

const char* NameOf(NodeColumn column) {
  return column == NodeColumn::kTime ? "time" : "orig_id";
}

}  // namespace

void NodeColumnStep::Start(absl::Span<const uint64_t> nodes,
                           absl::Span<int64_t> values, Done done) {
  values_ = values;
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

absl::Status NodeColumnStep::Read(uint32_t partition,
                                  absl::Span<const uint64_t> rows,
                                  absl::Span<const uint32_t> index) {
  const NodePartition& here = *context_.graph->nodes(node_type_, partition);
  const absl::Span<const int64_t> column =
      column_ == NodeColumn::kTime ? here.time : here.orig_id;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= column.size()) {
      return absl::DataLossError(absl::StrCat(
          NameOf(column_), " of partition ", partition, " has ", column.size(),
          " rows, row ", rows[i], " is wanted: verify the graph"));
    }
    RETURN_IF_ERROR(Put(partition, index[i], column[rows[i]]));
  }
  return absl::OkStatus();
}

void NodeColumnStep::Ask(uint32_t partition, std::vector<uint64_t> rows,
                         std::vector<uint32_t> index) {
  if (context_.remote == nullptr) {
    return Finish(NoPeersError(partition));
  }
  RemoteGather gather;
  gather.type = static_cast<uint32_t>(node_type_);
  gather.partition = partition;
  gather.time = column_ == NodeColumn::kTime;
  gather.orig_id = column_ == NodeColumn::kOriginalId;
  gather.rows = std::move(rows);
  const uint64_t bytes = index.size() * sizeof(int64_t);
  ++in_flight_;
  context_.remote->Gather(
      std::move(gather), context_.LimitsFor(bytes), context_.strand,
      [self = shared_from_this(), partition,
       index = std::move(index)](absl::StatusOr<GatheredRows> reply) {
        if (self->done_ == nullptr || !self->context_.control->ContinueOrEnd())
          return;
        --self->in_flight_;
        const absl::Status status =
            reply.ok() ? self->Take(partition, index, *reply) : reply.status();
        if (!status.ok()) return self->Finish(status);
        if (self->in_flight_ == 0) self->Finish(absl::OkStatus());
      });
}

absl::Status NodeColumnStep::Take(uint32_t partition,
                                  absl::Span<const uint32_t> index,
                                  const GatheredRows& reply) {
  const GatheredRows::Bytes column =
      column_ == NodeColumn::kTime ? reply.time : reply.orig_id;
  if (column.size() != index.size() * sizeof(int64_t)) {
    return absl::DataLossError(
        absl::StrCat("gather reply of partition ", partition, " has ",
                     column.size(), " bytes of ", NameOf(column_), "; ",
                     index.size(), " values were asked for"));
  }
  for (size_t i = 0; i < index.size(); ++i) {
    int64_t value = 0;
    std::memcpy(&value, &column[i * sizeof(value)], sizeof(value));
    RETURN_IF_ERROR(Put(partition, index[i], value));
  }
  return absl::OkStatus();
}

absl::Status NodeColumnStep::Put(uint32_t partition, uint32_t index,
                                 int64_t value) {
  const int64_t num_nodes =
      context_.graph->schema().node_types[node_type_].num_nodes;
  if (column_ == NodeColumn::kOriginalId && (value < 0 || value >= num_nodes)) {
    return absl::DataLossError(absl::StrCat("original id ", value,
                                            " in partition ", partition, " of ",
                                            num_nodes, " nodes"));
  }
  values_[index] = value;
  return absl::OkStatus();
}

void NodeColumnStep::Finish(absl::Status status) {
  Done done = std::exchange(done_, nullptr);
  if (done != nullptr) done(std::move(status));
}

}  // namespace tributary
