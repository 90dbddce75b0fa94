#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/session/edge_condition.h"
#include "common/tensor/narrow_numbers.h"
#include "common/text/status.h"
#include "partition/format/row_ends.h"
#include "sampler_server/engine/draw/draw.h"
#include "sampler_server/engine/hop/edge_predicate.h"
#include "sampler_server/engine/hop/excluded_rows.h"
#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/hop/other_types.h"
#include "sampler_server/service/leaf/leaf_calls.h"
#include "sampler_server/service/leaf/leaf_checks.h"

namespace tributary {
namespace {

template <typename T>
uint8_t* Append(const std::vector<T>& values, uint8_t* to) {
  const size_t bytes = values.size() * sizeof(T);
  if (bytes > 0) std::memcpy(to, values.data(), bytes);
  return to + bytes;
}

// Returns 0 for a row whose ends are damaged.
uint64_t DegreeOf(const EdgePartition& edges, uint64_t row) {
  const RowEnds ends = ReadRowEnds(edges.indptr, row);
  return ends.IsWithin(edges.indices.size()) ? ends.end - ends.begin : 0;
}

// Returns the most edges that the query can emit, before any limit.
uint64_t CountEdges(const EdgePartition& edges, const HopQuery& query) {
  uint64_t total = 0;
  for (uint64_t row : query.rows) {
    total += NumDrawn(DegreeOf(edges, row), query.fanout, query.replace);
  }
  return total - std::min(total, query.skip_edges);
}

// Limits the query to as many nodes and edges as fit a reply: at least one of
// each, so that every request makes progress.
absl::Status CapReply(uint64_t max_bytes, size_t edge_bytes, HopQuery* query) {
  constexpr size_t kCountBytes = sizeof(uint32_t);
  if (max_bytes < kCountBytes + edge_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_reply_bytes is ", max_bytes, "; one edge takes ",
                     kCountBytes + edge_bytes));
  }
  const uint64_t nodes =
      std::min({static_cast<uint64_t>(query->rows.size()),
                std::max<uint64_t>(1, max_bytes / (2 * kCountBytes)),
                (max_bytes - edge_bytes) / kCountBytes});
  query->rows = query->rows.first(nodes);
  query->local_numbers = query->local_numbers.first(nodes);
  if (!query->trees.empty()) query->trees = query->trees.first(nodes);
  if (!query->time_bound.empty()) {
    query->time_bound = query->time_bound.first(nodes);
  }
  query->max_edges = (max_bytes - nodes * kCountBytes) / edge_bytes;
  return absl::OkStatus();
}

// The arrays of a request's payload.
struct NodeArrays {
  std::vector<uint32_t> local_numbers, trees;
  std::vector<uint64_t> rows;
  std::vector<int64_t> time_bound;
  ExcludedEdges excluded;  // nodes are rows
};

absl::Status CheckSize(const v1::SampleHopRequest& request, bool timed,
                       size_t payload) {
  constexpr uint64_t kExcludedBytes = 16;
  const uint64_t most = payload / kExcludedBytes;
  if (request.num_excluded_edges() > most ||
      request.num_excluded_sources() > most - request.num_excluded_edges()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "payload of ", payload, " bytes for ", request.num_excluded_edges(),
        " excluded edges and ", request.num_excluded_sources(), " sources"));
  }
  return CheckPayload(
      request.num_nodes(), 12 + (request.disjoint() ? 4 : 0) + (timed ? 8 : 0),
      payload - kExcludedBytes * (request.num_excluded_edges() +
                                  request.num_excluded_sources()));
}

// Takes `count` excluded edges off the front of the payload: their rows, then
// `field` of each.
template <typename Edge, typename Field>
absl::Status TakeExcluded(size_t count, Field Edge::*field,
                          absl::Span<const uint8_t>* payload,
                          std::vector<Edge>* edges) {
  const auto rows = CopyArray<uint64_t>(*payload, count);
  payload->remove_prefix(count * sizeof(uint64_t));
  const auto fields = CopyArray<Field>(*payload, count);
  payload->remove_prefix(count * sizeof(Field));
  edges->resize(count);
  for (size_t i = 0; i < count; ++i) {
    (*edges)[i].node = rows[i];
    (*edges)[i].*field = fields[i];
  }
  if (std::is_sorted(edges->begin(), edges->end())) return absl::OkStatus();
  return absl::InvalidArgumentError("excluded edges do not ascend");
}

absl::StatusOr<NodeArrays> TakePayload(const v1::SampleHopRequest& request,
                                       absl::Span<const uint8_t> payload) {
  const bool timed = request.time() != v1::TIME_COLUMN_NONE;
  RETURN_IF_ERROR(CheckSize(request, timed, payload.size()));
  const size_t n = request.num_nodes();
  const auto take = [&payload, n](auto* values) {
    using T = typename std::remove_reference_t<decltype(*values)>::value_type;
    *values = CopyArray<T>(payload, n);
    payload.remove_prefix(n * sizeof(T));
  };
  NodeArrays arrays;
  take(&arrays.local_numbers);
  if (request.disjoint()) take(&arrays.trees);
  take(&arrays.rows);
  if (timed) take(&arrays.time_bound);
  RETURN_IF_ERROR(TakeExcluded(request.num_excluded_edges(),
                               &EdgeOfNode::edge_id, &payload,
                               &arrays.excluded.by_id));
  RETURN_IF_ERROR(TakeExcluded(request.num_excluded_sources(),
                               &SourceOfNode::source, &payload,
                               &arrays.excluded.by_source));
  return arrays;
}

absl::StatusOr<std::shared_ptr<const EdgePredicate>> TakePredicate(
    const v1::SampleHopRequest& request, const EdgeTypeSchema& type) {
  // The predicate's conditions and the session's mask.
  constexpr size_t kMost = kMaxConditions + 1;
  if (request.conditions_size() > static_cast<int>(kMost)) {
    return absl::InvalidArgumentError(absl::StrCat(
        request.conditions_size(), " conditions; allowed: 0 to ", kMost));
  }
  std::vector<EdgeCondition> conditions;
  for (const v1::EdgeCondition& condition : request.conditions()) {
    ASSIGN_OR_RETURN(conditions.emplace_back(), ReadCondition(condition));
  }
  return EdgePredicate::Make(type, std::move(conditions));
}

// Returns the kernel's working memory where it scans rows for eligible edges:
// a bit for each edge of the longest row.
uint64_t EligibleBytes(const EdgePartition& edges, const HopQuery& query) {
  if (query.predicate == nullptr && query.excluded.empty()) return 0;
  uint64_t longest = 0;
  for (uint64_t row : query.rows) {
    longest = std::max(longest, DegreeOf(edges, row));
  }
  // Weighted draws hold sums of the same size.
  return (query.draw == DrawMode::kWeighted ? 2 : 1) * longest / 8;
}

// Checks fanout and enumerations. The kernel refuses draws that the partition
// lacks columns for, and combinations that do not exist.
absl::StatusOr<DrawRule> TakeRule(const v1::SampleHopRequest& request,
                                  const EdgeTypeSchema& type) {
  if (request.fanout() < -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("fanout ", request.fanout(), "; -1 is all"));
  }
  if (!v1::Draw_IsValid(request.draw())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "draw ", static_cast<int>(request.draw()), "; allowed: 0 to 3"));
  }
  if (!v1::TimeColumn_IsValid(request.time())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "time ", static_cast<int>(request.time()), "; allowed: 0 to 2"));
  }
  DrawRule rule;
  rule.key = {request.key0(), request.key1()};
  rule.fanout = request.fanout();
  rule.replace = request.replace();
  rule.draw = static_cast<DrawMode>(request.draw());
  rule.time = static_cast<TimeMode>(request.time());
  rule.strict = request.strict();
  rule.latest = request.latest();
  rule.want_edge_ids = !request.omit_edge_ids();
  rule.want_positions = request.want_positions();
  ASSIGN_OR_RETURN(rule.predicate, TakePredicate(request, type));
  return rule;
}

// An array of the reply, in 8 bytes for a number or in 4.
struct HopArray {
  absl::Span<const uint64_t> numbers;
  bool narrow = false;

  HopArray(absl::Span<const uint64_t> all, bool may_be_narrow)
      : numbers(all), narrow(may_be_narrow && FitNarrow(all)) {}

  size_t bytes() const {
    return numbers.size() * (narrow ? sizeof(uint32_t) : sizeof(uint64_t));
  }
  uint8_t* AppendTo(uint8_t* to) const {
    if (narrow) return WriteNarrow(numbers, to);
    if (!numbers.empty()) std::memcpy(to, numbers.data(), bytes());
    return to + bytes();
  }
};

absl::Span<const uint64_t> AsUnsigned(const std::vector<int64_t>& values) {
  return {reinterpret_cast<const uint64_t*>(values.data()), values.size()};
}

LeafReply EncodeHop(const v1::SampleHopRequest& request, const HopEdges& hop,
                    BudgetShare::Hold reservation) {
  const HopArray neighbors(hop.neighbors, request.takes_narrow());
  const HopArray edge_ids(AsUnsigned(hop.edge_ids), request.takes_narrow());
  const HopArray positions(hop.positions, request.takes_narrow());
  v1::SampleHopReply header;
  header.set_nodes(hop.counts.size());
  header.set_edges(hop.neighbors.size());
  header.set_last_is_partial(hop.last_is_partial);
  header.set_edge_ids_omitted(request.omit_edge_ids());
  header.set_narrow_neighbors(neighbors.narrow);
  header.set_narrow_edge_ids(edge_ids.narrow && !request.omit_edge_ids());
  header.set_narrow_positions(positions.narrow && request.want_positions());
  const size_t bytes = hop.counts.size() * sizeof(uint32_t) +
                       neighbors.bytes() + edge_ids.bytes() + positions.bytes();
  LeafReply reply{header.SerializeAsString(), AlignedBuffer(bytes),
                  std::move(reservation)};
  // The kernel's memory is freed when this returns.
  reply.reservation.ShrinkTo(bytes);
  uint8_t* to = Append(hop.counts, reply.payload.data());
  for (const HopArray* array : {&neighbors, &edge_ids, &positions}) {
    to = array->AppendTo(to);
  }
  return reply;
}

}  // namespace

absl::StatusOr<LeafReply> ServeSampleHop(const Graph& graph,
                                         const v1::SampleHopRequest& request,
                                         absl::Span<const uint8_t> payload,
                                         const LeafLimits& limits,
                                         BudgetShare& budget) {
  const GraphSchema& schema = graph.schema();
  RETURN_IF_ERROR(
      CheckIndex("edge type", request.edge_type(), schema.edge_types.size()));
  RETURN_IF_ERROR(
      CheckIndex("partition", request.partition(), schema.num_partitions));
  const EdgeTypeSchema& type = schema.edge_types[request.edge_type()];
  ASSIGN_OR_RETURN(const DrawRule rule, TakeRule(request, type));
  ASSIGN_OR_RETURN(const NodeArrays nodes, TakePayload(request, payload));
  const EdgePartition* edges =
      graph.edges(request.edge_type(), request.partition());
  if (edges == nullptr) return NotHere(graph, request.partition());

  RETURN_IF_ERROR(CheckRows(nodes.rows, edges->indptr.size() - 1));
  HopQuery query(rule);
  query.local_numbers = nodes.local_numbers;
  query.rows = nodes.rows;
  query.trees = nodes.trees;
  query.time_bound = nodes.time_bound;
  query.first_node = static_cast<uint64_t>(
      schema.node_types[type.dst_type].base[request.partition()]);
  query.excluded = {nodes.excluded, 0, UINT64_MAX};
  if (rule.draw == DrawMode::kAcrossTypes) {
    query.others = OtherTypesOf(graph, static_cast<int>(request.edge_type()),
                                request.partition());
  }
  query.skip_edges = request.skip_edges();
  query.max_work = limits.max_work;
  query.stop = limits.stop;
  const size_t edge_bytes = BytesPerEdge(rule);
  RETURN_IF_ERROR(CapReply(
      std::min<uint64_t>(request.max_reply_bytes(), limits.max_reply_bytes),
      edge_bytes, &query));
  const uint64_t most_edges =
      std::min(CountEdges(*edges, query), query.max_edges);
  // Twice: the kernel's output and the payload.
  ASSIGN_OR_RETURN(BudgetShare::Hold reservation,
                   budget.TryTake(2 * (query.rows.size() * sizeof(uint32_t) +
                                       most_edges * edge_bytes) +
                                  EligibleBytes(*edges, query)));
  HopEdges hop;
  RETURN_IF_ERROR(SampleHop(*edges, schema.node_types[type.src_type].num_nodes,
                            query, &hop));
  return EncodeHop(request, hop, std::move(reservation));
}

}  // namespace tributary
