// A typed graph of one of OGB's two layouts, text and binary, while it is read.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_TYPED_GRAPH_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_TYPED_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "partition/pipeline/inputs/ogb/relation_list.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/source/graph_source.h"

namespace tributary {

// A typed graph while it is read: node types, then splits of nodes, then one
// relation after the other with its splits.
class TypedGraph {
 public:
  // `options` must outlive it.
  explicit TypedGraph(const InputOptions& options) : options_(options) {
    graph_.heterogeneous = true;
  }

  std::vector<NodeSource>& types() { return graph_.node_types; }
  const std::vector<NodeSource>& types() const { return graph_.node_types; }
  void Note(std::string note) { graph_.notes.push_back(std::move(note)); }

  // Reads the splits of nodes of all schemes; calls `look` with the folder of
  // each before. INVALID_ARGUMENT for pickled ones, or a bad name.
  absl::Status ReadNodeSplits(
      absl::FunctionRef<absl::Status(const std::string& folder)> look);
  // Adds a relation of `count` edges, the splits of these, and the reverse of
  // the relation if the user wants it.
  absl::Status AddRelation(const Relation& relation, int64_t count,
                           EdgeSource edges);
  // Returns the graph with edge types and splits in order.
  GraphSource Finish() &&;

 private:
  void AddEdges(const Relation& relation, EdgeSource edges);

  const InputOptions& options_;
  std::vector<std::string> schemes_;
  GraphSource graph_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_TYPED_GRAPH_H_
