// Reads the list of edge types of a folder in OGB's heterogeneous layout.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_RELATION_LIST_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_RELATION_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/source/graph_source.h"

namespace tributary {

// An edge type of the list.
struct Relation {
  std::string src, rel, dst;
  int src_type = 0;  // indices into node_types
  int dst_type = 0;
  bool reverse = false;  // the reverse of another relation

  std::string name() const { return src + "," + rel + "," + dst; }
  // Returns the name of its folder below raw/relations.
  std::string folder() const { return src + "___" + rel + "___" + dst; }
  // Returns its reverse: rev_rel, from dst to src.
  Relation Reverse() const {
    return {dst, "rev_" + rel, src, dst_type, src_type, true};
  }
};

// Reads stem.csv.gz or stem.csv; returns the relations in the file's order.
// INVALID_ARGUMENT, with file, line and what is allowed, for unknown types, bad
// names, duplicates, and relations whose tensors would have the same name; with
// `add_reverse` also if a reverse exists already.
absl::StatusOr<std::vector<Relation>> ReadRelationList(
    const std::string& stem, const std::vector<NodeSource>& types,
    bool add_reverse);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_RELATION_LIST_H_
