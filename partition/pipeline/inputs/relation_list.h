// The canonical edge types that a folder in OGB's heterogeneous layout lists.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_RELATION_LIST_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_RELATION_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/writer/content.h"

namespace tributary {

struct Relation {
  std::string src, rel, dst;
  int src_type = 0;  // indices into node_types
  int dst_type = 0;
  bool reverse = false;  // made of another

  std::string name() const { return src + "," + rel + "," + dst; }
  // Its folder below raw/relations.
  std::string folder() const { return src + "___" + rel + "___" + dst; }
  // rev_rel, from dst to src.
  Relation Reverse() const {
    return {dst, "rev_" + rel, src, dst_type, src_type, true};
  }
};

// Of the file stem.csv.gz or stem.csv, in the file's order. INVALID_ARGUMENT
// with file, line and what is allowed: unknown types, bad names, a relation
// twice, two whose tensors would have one name; with `add_reverse` also where
// a reverse is there already.
absl::StatusOr<std::vector<Relation>> ReadRelationList(
    const std::string& stem, const std::vector<NodeContent>& types,
    bool add_reverse);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_RELATION_LIST_H_
