#include "sampler_server/engine/testing/fake_remote.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sampler_server/engine/gather/gather.h"
#include "sampler_server/engine/hop/other_types.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {
namespace {

template <typename T>
void Append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// `scales` where they are asked for.
AlignedBuffer GatherColumn(absl::Span<const uint8_t> bytes,
                           const ColumnSchema& column,
                           const std::vector<uint64_t>& rows,
                           FeatureDType asked = FeatureDType::kStored,
                           AlignedBuffer* scales = nullptr) {
  const RowForm form = RowForm::Of(column, asked);
  AlignedBuffer out(rows.size() * form.row_bytes);
  if (form.scaled) *scales = AlignedBuffer(rows.size() * form.scale_bytes());
  GatherRows({bytes, form.stored_bytes}, form, rows, {}, out.data(),
             form.scaled ? scales->data() : nullptr);
  return out;
}

}  // namespace

void FakeRemote::SampleHop(
    RemoteHop hop, const Limits& limits, std::shared_ptr<Strand> strand,
    absl::AnyInvocable<void(absl::StatusOr<HopEdges>)> done) {
  ++hops_asked;
  cancels.push_back(limits.cancel);
  most_reply_bytes = std::max(most_reply_bytes, limits.max_reply_bytes);
  if (silent) return;
  const uint64_t edge_bytes = BytesPerEdge(hop.rule);
  absl::StatusOr<HopEdges> reply =
      failure.ok() ? Sample(hop, limits.max_reply_bytes / edge_bytes) : failure;
  if (damaged_neighbor && reply.ok() && !reply->neighbors.empty()) {
    reply->neighbors.back() = uint64_t{1} << 40;
  }
  strand->PostAfter(
      delay, [reply = std::move(reply), done = std::move(done)]() mutable {
        done(std::move(reply));
      });
}

absl::StatusOr<HopEdges> FakeRemote::Sample(const RemoteHop& hop,
                                            uint64_t max_edges) const {
  const EdgePartition* edges =
      graph_->edges(static_cast<int>(hop.edge_type), hop.partition);
  if (edges == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("partition ", hop.partition, " has no owner"));
  }
  const GraphSchema& schema = graph_->schema();
  const NodeTypeSchema& rows =
      schema.node_types[schema.edge_types[hop.edge_type].dst_type];
  const int64_t first_node = rows.base[hop.partition];
  const auto num_src = static_cast<uint64_t>(
      schema.node_types[schema.edge_types[hop.edge_type].src_type].num_nodes);
  HopEdges all;
  size_t next = 0;
  uint64_t skip = 0;
  while (next < hop.rows.size()) {
    const uint64_t left = max_edges - all.neighbors.size();
    HopQuery query(hop.rule);
    query.local_numbers = absl::MakeConstSpan(hop.local_numbers).subspan(next);
    query.rows = absl::MakeConstSpan(hop.rows).subspan(next);
    if (!hop.trees.empty()) {
      query.trees = absl::MakeConstSpan(hop.trees).subspan(next);
    }
    if (!hop.time_bound.empty()) {
      query.time_bound = absl::MakeConstSpan(hop.time_bound).subspan(next);
    }
    query.first_node = static_cast<uint64_t>(first_node);
    query.excluded = {hop.excluded, 0, UINT64_MAX};
    if (hop.rule.draw == DrawMode::kAcrossTypes) {
      query.others =
          OtherTypesOf(*graph_, static_cast<int>(hop.edge_type), hop.partition);
    }
    query.skip_edges = skip;
    query.max_edges = std::min(left, edges_per_reply);
    HopEdges piece;
    const absl::Status status =
        tributary::SampleHop(*edges, num_src, query, &piece);
    if (!status.ok()) return status;
    if (skip > 0 && !piece.counts.empty()) {
      all.counts.back() += piece.counts.front();
      piece.counts.erase(piece.counts.begin());
    }
    Append(all.counts, piece.counts);
    Append(all.neighbors, piece.neighbors);
    Append(all.edge_ids, piece.edge_ids);
    Append(all.positions, piece.positions);
    all.last_is_partial = piece.last_is_partial;
    if (all.neighbors.size() >= max_edges) break;
    next = all.counts.size() - (piece.last_is_partial ? 1 : 0);
    skip = piece.last_is_partial ? all.counts.back() : 0;
  }
  return all;
}

void FakeRemote::Gather(
    RemoteGather gather, const Limits& limits, std::shared_ptr<Strand> strand,
    absl::AnyInvocable<void(absl::StatusOr<GatheredRows>)> done) {
  ++gathers_asked;
  cancels.push_back(limits.cancel);
  if (silent) return;
  if (short_rows && !gather.rows.empty()) gather.rows.pop_back();
  strand->PostAfter(
      delay, [rows = GatherNow(gather), done = std::move(done)]() mutable {
        done(std::move(rows));
      });
}

GatheredRows FakeRemote::GatherNow(const RemoteGather& gather) const {
  const int type = static_cast<int>(gather.type);
  GatheredRows out;
  if (gather.table == RemoteGather::Table::kEdges) {
    const EdgePartition& edges = *graph_->edges(type, gather.partition);
    const EdgeTypeSchema& schema = graph_->schema().edge_types[type];
    if (gather.edge_attr) {
      out.edge_attr =
          GatherColumn(edges.edge_attr, *schema.edge_attr, gather.rows,
                       gather.feature_dtype, &out.edge_attr_scale);
    }
    if (gather.weight) {
      out.weight =
          GatherColumn(edges.weight, {schema.weight_dtype, 0}, gather.rows);
    }
    return out;
  }
  const NodePartition& nodes = *graph_->nodes(type, gather.partition);
  const NodeTypeSchema& schema = graph_->schema().node_types[type];
  if (gather.orig_id) {
    for (uint64_t row : gather.rows) out.orig_id.push_back(nodes.orig_id[row]);
  }
  if (gather.time) {
    for (uint64_t row : gather.rows) out.time.push_back(nodes.time[row]);
  }
  if (gather.x) {
    out.x = GatherColumn(nodes.x, *schema.x, gather.rows, gather.feature_dtype,
                         &out.x_scale);
  }
  if (gather.y) out.y = GatherColumn(nodes.y, *schema.y, gather.rows);
  return out;
}

void FakeRemote::Ask(
    PartitionQuestion question, const Limits& limits,
    std::shared_ptr<Strand> strand,
    absl::AnyInvocable<void(absl::StatusOr<AlignedBuffer>)> done) {
  ++questions_asked;
  cancels.push_back(limits.cancel);
  if (silent) return;
  absl::StatusOr<AlignedBuffer> reply = AlignedBuffer(question.answer_bytes);
  absl::Status status = failure;
  if (status.ok()) {
    status = FindQuestionType(question.type->name())
                 ->Answer(*graph_, question.partition, question.message,
                          question.payload, reply->span(), nullptr);
  }
  if (!status.ok()) reply = status;
  if (damaged_neighbor && reply.ok() && reply->size() > 0) {
    std::fill_n(reply->data(), std::min<size_t>(reply->size(), 6), 0xFE);
  }
  strand->PostAfter(
      delay, [reply = std::move(reply), check = std::move(question.check),
              done = std::move(done)]() mutable {
        // There is no other owner to ask.
        const absl::Status checked =
            reply.ok() && check ? check(reply->span()) : absl::OkStatus();
        checked.ok() ? done(std::move(reply)) : done(checked);
      });
}

}  // namespace tributary
