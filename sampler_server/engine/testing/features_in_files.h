// A graph whose features are read instead of mapped.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FEATURES_IN_FILES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FEATURES_IN_FILES_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "partition/format/graph.h"
#include "sampler_server/engine/gather/row_reader.h"

namespace tributary {

// All of another graph, but for x and edge_attr, which it has in files without
// a name. Ends the test's process where there can be none.
class FeaturesInFiles final : public Graph {
 public:
  explicit FeaturesInFiles(std::shared_ptr<const Graph> graph);

  const GraphSchema& schema() const override { return graph_->schema(); }
  const std::string& schema_json() const override {
    return graph_->schema_json();
  }
  const std::vector<uint32_t>& partitions() const override {
    return graph_->partitions();
  }
  bool reads_features() const override { return true; }
  const NodePartition* nodes(int type, uint32_t p) const override {
    return nodes_[type][p] ? &*nodes_[type][p] : nullptr;
  }
  const EdgePartition* edges(int type, uint32_t p) const override {
    return edges_[type][p] ? &*edges_[type][p] : nullptr;
  }
  const NodeMap& node_map(int type) const override {
    return graph_->node_map(type);
  }
  const DegreeArrays* degrees(int type) const override {
    return graph_->degrees(type);
  }
  absl::StatusOr<absl::Span<const int64_t>> Split(
      int type, std::string_view name) const override {
    return graph_->Split(type, name);
  }

 private:
  const RowFile* Store(const std::string& name,
                       const std::optional<ColumnSchema>& column,
                       absl::Span<const uint8_t> bytes);

  const std::shared_ptr<const Graph> graph_;
  std::vector<std::vector<std::optional<NodePartition>>> nodes_;
  std::vector<std::vector<std::optional<EdgePartition>>> edges_;
  std::vector<std::unique_ptr<RowFile>> files_;
};

// Reads rows a millisecond after it was asked, as an event of who asks.
class LateRows final : public RowReader {
 public:
  void Read(RowRead read, std::shared_ptr<Strand> strand, Done done) override;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_FEATURES_IN_FILES_H_
