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

// Columns that are put together as a reply has them, one after the other.
class ColumnsOfRows {
 public:
  using Bytes = GatheredRows::Bytes;

  explicit ColumnsOfRows(const std::vector<uint64_t>& rows) : rows_(rows) {}

  // `scales` follow where the rows are converted to int8.
  void Add(absl::Span<const uint8_t> bytes, const ColumnSchema& column,
           FeatureDType asked, Bytes GatheredRows::*view,
           Bytes GatheredRows::*scales = nullptr) {
    const RowForm form = RowForm::Of(column, asked);
    uint8_t* const values = Grow(view, form.row_bytes);
    uint8_t* const to_scales =
        form.scaled ? Grow(scales, form.scale_bytes()) : nullptr;
    GatherRows({bytes, form.stored_bytes}, form, rows_, {}, values, to_scales);
  }
  void Add(absl::Span<const int64_t> values, Bytes GatheredRows::*view) {
    auto* to = reinterpret_cast<int64_t*>(Grow(view, sizeof(int64_t)));
    for (const uint64_t row : rows_) *to++ = values[row];
  }
  GatheredRows Take() {
    GatheredRows out;
    size_t bytes = 0;
    for (const auto& [view, column] : columns_) bytes += column.size();
    out.memory = AlignedBuffer(bytes);
    absl::Span<uint8_t> left = out.memory.span();
    for (const auto& [view, column] : columns_) {
      std::copy(column.span().begin(), column.span().end(), left.begin());
      out.*view = left.first(column.size());
      left.remove_prefix(column.size());
    }
    return out;
  }

 private:
  uint8_t* Grow(Bytes GatheredRows::*view, size_t row_bytes) {
    columns_.emplace_back(view, AlignedBuffer(rows_.size() * row_bytes));
    return columns_.back().second.data();
  }

  const std::vector<uint64_t>& rows_;
  std::vector<std::pair<Bytes GatheredRows::*, AlignedBuffer>> columns_;
};

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
  most_open_gathers = std::max(most_open_gathers, ++open_gathers);
  cancels.push_back(limits.cancel);
  if (silent) return;
  if (short_rows && !gather.rows.empty()) gather.rows.pop_back();
  strand->PostAfter(delay, [this, rows = GatherNow(gather),
                            done = std::move(done)]() mutable {
    --open_gathers;
    done(std::move(rows));
  });
}

GatheredRows FakeRemote::GatherNow(const RemoteGather& gather) const {
  const int type = static_cast<int>(gather.type);
  ColumnsOfRows out(gather.rows);
  if (gather.table == RemoteGather::Table::kEdges) {
    const EdgePartition& edges = *graph_->edges(type, gather.partition);
    const EdgeTypeSchema& schema = graph_->schema().edge_types[type];
    if (gather.edge_attr) {
      out.Add(edges.edge_attr, *schema.edge_attr, gather.feature_dtype,
              &GatheredRows::edge_attr, &GatheredRows::edge_attr_scale);
    }
    if (gather.weight) {
      out.Add(edges.weight, {schema.weight_dtype, 0}, FeatureDType::kStored,
              &GatheredRows::weight);
    }
    return out.Take();
  }
  const NodePartition& nodes = *graph_->nodes(type, gather.partition);
  const NodeTypeSchema& schema = graph_->schema().node_types[type];
  if (gather.orig_id) out.Add(nodes.orig_id, &GatheredRows::orig_id);
  if (gather.time) out.Add(nodes.time, &GatheredRows::time);
  if (gather.x) {
    out.Add(nodes.x, *schema.x, gather.feature_dtype, &GatheredRows::x,
            &GatheredRows::x_scale);
  }
  if (gather.y) {
    out.Add(nodes.y, *schema.y, FeatureDType::kStored, &GatheredRows::y);
  }
  return out.Take();
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
