// Which columns and degrees a session's batches have, and how many bytes the
// columns take.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_COLLECTED_FEATURES_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_COLLECTED_FEATURES_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "partition/schema/edge_direction.h"
#include "partition/schema/schema.h"

namespace tributary {

namespace v1 {
class SessionSpec;
}

// The node and edge types whose rows come in a session's batches. Names that
// the schema lacks are ignored. The schema outlives it.
class SampledTypes {
 public:
  explicit SampledTypes(const GraphSchema& schema) : schema_(schema) {}

  const GraphSchema& schema() const { return schema_; }

  void AddNodes(const std::string& node_type);
  // Adds the source and the destination type of the edge type.
  void AddEnds(const std::string& edge_type);
  // Adds the type of the batch's edges, the types that are read to sample
  // these, and their ends.
  void AddEdges(const std::string& edge_type, EdgeDirection direction);

  // Indices into the schema's types, ascending. `edges` are read and have the
  // edge_attr; `emitted` are the types of the batch's edge tensors.
  std::vector<int> nodes() const { return {nodes_.begin(), nodes_.end()}; }
  std::vector<int> edges() const { return {edges_.begin(), edges_.end()}; }
  std::vector<int> emitted() const {
    return {emitted_.begin(), emitted_.end()};
  }

 private:
  const GraphSchema& schema_;
  std::set<int> nodes_, edges_, emitted_;
};

// Returns the bytes of x, y and time of one node of the type in a batch.
uint64_t NodeRowBytes(const NodeTypeSchema& type, const v1::SessionSpec& spec);
// Returns the bytes of edge_attr and weight of one edge of the type in a batch.
uint64_t EdgeRowBytes(const EdgeTypeSchema& type, const v1::SessionSpec& spec);

// Returns an upper bound for the entries and the padding of x_scale,
// edge_attr_scale, time and weight, which do not depend on the number of rows,
// and for all of seed_time.
uint64_t MoreTensorBytes(const GraphSchema& schema,
                         const v1::SessionSpec& spec);

// INVALID_ARGUMENT if feature_dtype asks for floating features and no type of
// `types` has any; likewise a column that is asked for by name.
absl::Status CheckCollectedFeatures(const SampledTypes& types,
                                    const v1::SessionSpec& spec);

// INVALID_ARGUMENT if collect_degrees asks for degrees of edge types that are
// stored without them, or if no edges are sampled.
absl::Status CheckCollectedDegrees(const SampledTypes& types,
                                   const v1::SessionSpec& spec);

// INVALID_ARGUMENT if omit_edge_ids is set and no edges are sampled.
absl::Status CheckOmittedEdgeIds(const SampledTypes& types,
                                 const v1::SessionSpec& spec);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_COLLECTED_FEATURES_H_
