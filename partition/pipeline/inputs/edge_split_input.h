// Splits of edges as users have them, and what a graph stores of them.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_EDGE_SPLIT_INPUT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_EDGE_SPLIT_INPUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "partition/writer/content.h"

namespace tributary {

// One file. Its edges are pairs of nodes, which the graph may not have (those
// held out, negatives), or rows of the graph's own edges.
struct EdgeSplitInput {
  std::string scheme, name;
  EdgeRows ends;              // by line
  std::vector<int64_t> rows;  // by line; empty where `ends` are given
};

// Gives splits of rows their ends, while the rows are there. Requires rows
// below edges.src.size().
void FindEnds(const EdgeRows& edges, absl::Span<EdgeSplitInput> splits);

// Adds splits of `edges` to the graph's, which stay in their order. Each edge's
// id is its row's own (of an edge and its reverse, the first), else the lowest
// of the edges with these ends, else -1.
void AddEdgeSplits(absl::Span<const EdgeSplitInput> splits,
                   const EdgeContent& edges, GraphContent& content);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_EDGE_SPLIT_INPUT_H_
