// Converts a user's splits of edges to those that a graph stores.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_EDGE_SPLIT_INPUT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_EDGE_SPLIT_INPUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "partition/writer/content.h"

namespace tributary {

// The edges of one file: pairs of nodes, which need not be edges of the graph
// (held out, or negatives), or rows of the graph's edge file.
struct EdgeSplitInput {
  std::string scheme, name;
  EdgeRows ends;  // the ends, by line
  std::vector<int64_t>
      rows;  // rows of the edge file, by line; empty if `ends` are given
};

// Fills the ends of splits that are given by rows. Call while `edges` still
// holds the rows. Requires rows below edges.src.size().
void FillEndsFromRows(const EdgeRows& edges, absl::Span<EdgeSplitInput> splits);

// Appends splits of `edges` to those of `content`, in order. An edge's id is
// that of its row (the first of an edge and its reverse); otherwise the lowest
// id of the edges with these ends; otherwise -1.
void AddEdgeSplits(absl::Span<const EdgeSplitInput> splits,
                   const EdgeContent& edges, GraphContent& content);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_EDGE_SPLIT_INPUT_H_
