#include "sampler_server/engine/testing/hop_rows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "common/text/status.h"
#include "partition/writer/row_order.h"

namespace tributary {

HopRows::HopRows(const std::vector<uint64_t>& degrees, bool wide_ids)
    : wide_ids_(wide_ids) {
  for (uint64_t d : degrees) indptr.push_back(indptr.back() + d);
  std::vector<uint64_t> from, id;
  for (uint64_t i = 0; i < num_edges(); ++i) {
    from.push_back(i);
    id.push_back(1000 + i);
  }
  indices.Set(from);
  edge_id.Set(id);
}

void HopRows::Ids::Set(const std::vector<uint64_t>& ids) {
  wide = ids;
  narrow.assign(ids.begin(), ids.end());
}

void HopRows::SetWeights(const std::vector<double>& weights) {
  weight = weights;
  weight_sum.resize(num_edges());
  for (size_t row = 0; row + 1 < indptr.size(); ++row) {
    SumWeights(absl::MakeConstSpan(weights).subspan(indptr[row], degree(row)),
               absl::MakeSpan(weight_sum).subspan(indptr[row], degree(row)));
  }
}

void HopRows::Order(const std::vector<int64_t>& times, Times* to) const {
  std::vector<uint64_t> position;
  std::vector<TimedPosition> order;
  to->time.clear();
  for (size_t row = 0; row + 1 < indptr.size(); ++row) {
    OrderByTime(absl::MakeConstSpan(times).subspan(indptr[row], degree(row)),
                order);
    for (const TimedPosition& edge : order) {
      to->time.push_back(edge.time);
      position.push_back(edge.position);
    }
  }
  to->position.Set(position);
}

void HopRows::SetEdgeTimes(const std::vector<int64_t>& times) {
  Order(times, &edge_time);
}
void HopRows::SetNeighborTimes(const std::vector<int64_t>& times) {
  Order(times, &neighbor_time);
}
void HopRows::SetNeighborIds(const std::vector<uint64_t>& ids) {
  neighbor_id.Set(ids);
}

IdArray HopRows::View(const Ids& ids) const {
  return wide_ids_ ? IdArray(absl::MakeConstSpan(ids.wide))
                   : IdArray(absl::MakeConstSpan(ids.narrow));
}

EdgePartition HopRows::view() const {
  EdgePartition view;
  view.indptr = indptr;
  view.indices = View(indices);
  view.edge_id = View(edge_id);
  view.weight =
      absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(weight.data()),
                          weight.size() * sizeof(double));
  view.weight_sum = weight_sum;
  view.edge_attr = edge_attr;
  view.masks.assign(masks.begin(), masks.end());
  view.edge_time = {edge_time.time, View(edge_time.position)};
  view.neighbor_time = {neighbor_time.time, View(neighbor_time.position)};
  view.neighbor_id = View(neighbor_id);
  return view;
}

AskedNodes::AskedNodes(size_t num_rows)
    : rows(num_rows), numbers(num_rows), trees(num_rows) {
  std::iota(rows.begin(), rows.end(), 0);
  std::iota(numbers.begin(), numbers.end(), 5);
}

HopQuery AskedNodes::Query(int32_t fanout, bool replace) const {
  HopQuery query;
  query.key = kFirstKey;
  query.fanout = fanout;
  query.replace = replace;
  query.want_positions = true;
  query.rows = rows;
  query.local_numbers = numbers;
  query.trees = trees;
  return query;
}

EdgeTypeSchema EdgeTypeWithColumns() {
  EdgeTypeSchema type;
  type.src = type.dst = "node";
  type.rel = "to";
  type.edge_attr = ColumnSchema{DType::kFloat32, 2};
  type.weighted = type.timed = true;
  type.weight_dtype = DType::kFloat64;
  type.masks = {"test", "train"};
  return type;
}

std::shared_ptr<const EdgePredicate> PredicateOf(const std::string& text,
                                                 const EdgeTypeSchema& type) {
  return *EdgePredicate::Make(type, ParseEdgePredicates(text)->by_default);
}

namespace {

// Adds the reply's positions; `first` may go on with the last node there is.
void AddReply(const HopRows& rows, const HopQuery& query, const HopEdges& reply,
              bool goes_on, std::vector<std::vector<uint64_t>>* drawn) {
  size_t e = 0;
  for (size_t i = 0; i < reply.counts.size(); ++i) {
    if (i > 0 || !goes_on) drawn->emplace_back();
    for (uint32_t j = 0; j < reply.counts[i]; ++j, ++e) {
      if (query.want_edge_ids) {
        EXPECT_EQ(reply.edge_ids[e], 1000 + reply.neighbors[e]);
      }
      if (query.want_positions) {
        EXPECT_EQ(reply.positions[e], reply.neighbors[e]);
      }
      drawn->back().push_back(reply.neighbors[e] - rows.indptr[query.rows[i]]);
    }
  }
  EXPECT_EQ(e, reply.neighbors.size());
  EXPECT_EQ(query.want_edge_ids ? e : 0, reply.edge_ids.size());
  if (!query.want_edge_ids) {
    EXPECT_EQ(reply.edge_ids.capacity(), 0);
  }
}

}  // namespace

absl::StatusOr<std::vector<std::vector<uint64_t>>> PositionsDrawn(
    const HopRows& rows, const HopQuery& query) {
  HopEdges reply;
  RETURN_IF_ERROR(SampleHop(rows.view(), rows.num_edges(), query, &reply));
  std::vector<std::vector<uint64_t>> drawn;
  AddReply(rows, query, reply, false, &drawn);
  EXPECT_FALSE(reply.last_is_partial);
  return drawn;
}

absl::StatusOr<std::vector<std::vector<uint64_t>>> PositionsInPieces(
    const HopRows& rows, const HopQuery& query, uint64_t piece) {
  std::vector<std::vector<uint64_t>> drawn;
  HopQuery part = query;
  part.max_edges = piece;
  HopEdges reply;
  for (size_t next = 0; next < query.rows.size();) {
    part.rows = query.rows.subspan(next);
    part.local_numbers = query.local_numbers.subspan(next);
    if (!query.trees.empty()) part.trees = query.trees.subspan(next);
    if (!query.time_bound.empty()) {
      part.time_bound = query.time_bound.subspan(next);
    }
    reply = HopEdges();
    RETURN_IF_ERROR(SampleHop(rows.view(), rows.num_edges(), part, &reply));
    if (query.exact_memory) {
      EXPECT_EQ(reply.neighbors.capacity(), reply.neighbors.size());
    }
    EXPECT_LE(reply.neighbors.size(), piece);
    if (reply.counts.empty()) return absl::InternalError("no progress");
    AddReply(rows, part, reply, next < drawn.size(), &drawn);
    next = drawn.size() - (reply.last_is_partial ? 1 : 0);
    part.skip_edges = reply.last_is_partial ? drawn.back().size() : 0;
  }
  return drawn;
}

}  // namespace tributary
