// The nodes of all types of a graph as one numbering, and edges in it.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_JOINT_NODES_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_JOINT_NODES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Numbers the nodes of all types one type after another: node i of type t is
// first[t] + i. first has an entry more than there are types: the number of
// nodes.
struct JointNodes {
  std::vector<uint64_t> first;

  explicit JointNodes(const GraphSource& graph);
  uint64_t size() const { return first.back(); }
};

// Returns partitions by joint number as a vector per type. Takes the memory of
// `joint` for the only type.
std::vector<std::vector<uint16_t>> SplitByType(const JointNodes& nodes,
                                               std::vector<uint16_t> joint);

// The number of rows that are best read at once.
inline constexpr int64_t kRowsAtOnce = int64_t{1} << 16;

// Reads ranges of an edge type's rows as joint numbers. Holds kRowsAtOnce rows.
// Not thread-safe.
class JointEnds {
 public:
  JointEnds(const GraphSource& graph, const JointNodes& nodes)
      : graph_(graph), nodes_(nodes) {}

  // Reads `count` <= kRowsAtOnce rows from `begin` on. OUT_OF_RANGE, with where
  // the row is from and what is allowed, for an end that is no node; else
  // errors as Column::Read.
  absl::Status Read(const EdgeSource& edges, int64_t begin, int64_t count);
  // Reads only the ends `to`; from() is then undefined.
  absl::Status ReadTo(const EdgeSource& edges, int64_t begin, int64_t count);
  absl::Span<const uint64_t> from() const { return from_; }
  absl::Span<const uint64_t> to() const { return to_; }

 private:
  absl::Status ReadEnd(const Column& column, int type, int64_t begin,
                       int64_t count, std::vector<uint64_t>& out) const;

  const GraphSource& graph_;
  const JointNodes& nodes_;
  std::vector<uint64_t> from_, to_;
};

// Returns whether partitioners read the edge type: not a reverse type, which
// has the same edges as its other.
inline bool IsRead(const EdgeSource& edges) { return !edges.reverse; }

// Returns the rows of all edge types that are read.
uint64_t NumRowsRead(const GraphSource& graph);

// Calls f(u, v) with joint numbers for every row of the types that are read, in
// order, but loops. Errors as JointEnds::Read.
absl::Status ForEachEdge(const GraphSource& graph, const JointNodes& nodes,
                         absl::FunctionRef<void(uint64_t, uint64_t)> f);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_JOINT_NODES_H_
