#include "trainer_client/graph/sampled_edges.h"

#include <limits>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Numbers the nodes of one type in the order in which they come.
class Numbering {
 public:
  // Returns the node's number, and whether it is new.
  std::pair<int32_t, bool> Add(int64_t id) {
    const auto next = static_cast<int32_t>(ids_.size());
    const auto [at, fresh] = numbers_.emplace(id, next);
    if (fresh) ids_.push_back(id);
    return {at->second, fresh};
  }
  const std::vector<int64_t>& ids() const { return ids_; }

 private:
  std::unordered_map<int64_t, int32_t> numbers_;
  std::vector<int64_t> ids_;
};

absl::Status CheckRoom(const Numbering& numbers) {
  if (numbers.ids().size() < std::numeric_limits<int32_t>::max()) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      "a block has more than 2^31 - 1 nodes of one type");
}

}  // namespace

absl::StatusOr<MadeBlock> MakeBlock(const GraphSchema& schema,
                                    const EdgesByType& edges,
                                    const NodesByType& dst_nodes) {
  MadeBlock block;
  std::map<std::string, Numbering> numbers;
  for (const auto& [type, ids] : dst_nodes) {
    if (schema.FindNodeType(type) < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the graph has no node type '", type, "'"));
    }
    for (int64_t id : ids) {
      RETURN_IF_ERROR(CheckRoom(numbers[type]));
      if (numbers[type].Add(id).second) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "node ", id, " of type ", type, " comes twice in dst_nodes"));
    }
    block.nodes[type].num_dst = ids.size();
  }
  for (const auto& [name, list] : edges) {
    const int found = schema.FindEdgeType(name);
    if (found < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the graph has no edge type '", name, "'"));
    }
    const EdgeTypeSchema& type = schema.edge_types[found];
    MadeBlockEdges& made = block.edges[name];
    for (size_t i = 0; i < list.size(); ++i) {
      RETURN_IF_ERROR(CheckRoom(numbers[type.src]));
      made.src.push_back(numbers[type.src].Add(list.src[i]).first);
      Numbering& dst = numbers[type.dst];
      const int32_t to = dst.Add(list.dst[i]).first;
      if (static_cast<size_t>(to) >= block.nodes[type.dst].num_dst) {
        return absl::InvalidArgumentError(absl::StrCat(
            "edge ", list.e_id[i], " of type ", name, " ends at node ",
            list.dst[i], ", which is none of dst_nodes"));
      }
      made.dst.push_back(to);
      made.e_id.push_back(list.e_id[i]);
    }
  }
  for (auto& [type, numbering] : numbers) {
    block.nodes[type].src = numbering.ids();
  }
  return block;
}

}  // namespace tributary
