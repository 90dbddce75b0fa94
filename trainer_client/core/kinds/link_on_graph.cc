#include "trainer_client/core/kinds/link_on_graph.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/proto/session.pb.h"
#include "common/session/kinds/link_spec.h"
#include "common/text/status.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
namespace {

// One edge type's part of the whole list of links.
struct ListOnGraph {
  const EdgeTypeSchema* type = nullptr;
  uint64_t first = 0, count = 0;
  std::string of;  // " of TYPE" where there are several
};

// Leaves out lists of types that the graph lacks.
std::vector<ListOnGraph> ListsOnGraph(const GraphSchema& schema,
                                      const v1::Inputs& inputs) {
  std::vector<ListOnGraph> lists;
  const auto add = [&](const std::string& name, uint64_t count, bool several) {
    const int found = schema.FindEdgeType(name);
    if (found < 0) return;
    const uint64_t first =
        lists.empty() ? 0 : lists.back().first + lists.back().count;
    lists.push_back({&schema.edge_types[found], first, count,
                     several ? absl::StrCat(" of ", name) : ""});
  };
  for (const v1::LinkList& list : inputs.link_lists()) {
    add(list.edge_type(), list.count(), true);
  }
  if (lists.empty()) add(inputs.edge_type(), inputs.count(), false);
  return lists;
}

// Checks that `ids`, of which each link has `columns`, are nodes of `type`.
absl::Status CheckEnds(absl::string_view field, const NodeTypeSchema& type,
                       absl::Span<const int64_t> ids, const ListOnGraph& list,
                       uint64_t columns = 1) {
  ids = ids.subspan(list.first * columns, list.count * columns);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && ids[i] < type.num_nodes) continue;
    const std::string place =
        columns == 1 ? absl::StrCat("[", i, "]")
                     : absl::StrCat("[", i / columns, "][", i % columns, "]");
    return BadLoaderOption(
        absl::StrCat(field, place, list.of), absl::StrCat(ids[i]),
        type.num_nodes == 0
            ? absl::StrCat("none, for node type ", type.name, " has no nodes")
            : absl::StrCat("0 to ", type.num_nodes - 1,
                           ", the original ids of node type ", type.name));
  }
  return absl::OkStatus();
}

absl::Status CheckEndsOf(const GraphSchema& schema, const ListOnGraph& list,
                         const LinkColumns& links) {
  const NodeTypeSchema& sources = schema.node_types[list.type->src_type];
  const NodeTypeSchema& destinations = schema.node_types[list.type->dst_type];
  RETURN_IF_ERROR(
      CheckEnds("edge_label_index.source", sources, links.source, list));
  RETURN_IF_ERROR(CheckEnds("edge_label_index.destination", destinations,
                            links.destination, list));
  return CheckEnds("neg_destination", destinations, links.negative, list,
                   links.negatives);
}

}  // namespace

LinkLists LinkListsOf(const v1::SessionSpec& spec) {
  std::vector<uint64_t> counts;
  for (const v1::LinkList& list : spec.inputs().link_lists()) {
    counts.push_back(list.count());
  }
  return LinkLists(counts);
}

absl::Status CheckLinkEnds(const GraphSchema& schema,
                           const v1::SessionSpec& spec,
                           const LinkColumns& links) {
  const auto lists = ListsOnGraph(schema, spec.inputs());
  if (lists.empty() ||
      lists.back().first + lists.back().count != links.size()) {
    return BadLoaderOption("edge_type", spec.inputs().edge_type(),
                           "an edge type");
  }
  for (const ListOnGraph& list : lists) {
    if (spec.link().degree_power() != 0) {
      RETURN_IF_ERROR(CheckDegreesOf(list.type->name(), list.type->degrees,
                                     list.type->num_edges));
    }
    RETURN_IF_ERROR(CheckEndsOf(schema, list, links));
  }
  return absl::OkStatus();
}

// A batch's links may be of any of the types. So the bound of a node type is
// that of the edge type with most ends there, plus what is rounded up for each.
void FillLinkBound(const GraphSchema& schema, const v1::SessionSpec& spec,
                   BatchBoundInputs* bound) {
  const auto lists = ListsOnGraph(schema, spec.inputs());
  if (lists.empty()) return;
  const auto mode = static_cast<NegativeMode>(spec.link().negatives());
  const uint64_t n = bound->num_inputs;
  const uint64_t rounded_up = lists.size() - 1;
  const LinkStarts starts = CountLinkStarts(
      mode, n, NumNegatives(mode, spec.link().amount(), n) + rounded_up);
  bound->input_type = lists[0].type->src_type;
  bound->starts.resize(schema.node_types.size(), 0);
  for (const ListOnGraph& list : lists) {
    const auto src = static_cast<size_t>(list.type->src_type);
    const auto dst = static_cast<size_t>(list.type->dst_type);
    const uint64_t of_both = starts.sources + starts.destinations;
    uint64_t& from_src = bound->starts[src];
    from_src = std::max(from_src, src == dst ? of_both : starts.sources);
    uint64_t& from_dst = bound->starts[dst];
    from_dst = std::max(from_dst, src == dst ? of_both : starts.destinations);
    // Links are counted once, with the first type.
    const bool first = list.first == 0;
    bound->more_bytes += LinkTensorBytesBound(
        first ? starts : LinkStarts(), first ? n : 0, list.type->name().size());
  }
  if (spec.link().enclosing()) {
    bound->node_types[lists[0].type->src_type].row_bytes +=
        sizeof(int64_t);  // z
  }
}

}  // namespace tributary
