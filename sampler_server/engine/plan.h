// A specification made ready to run on one graph.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/proto/session.pb.h"
#include "common/sha256.h"
#include "partition/format/schema.h"

namespace tributary {

// One edge type that the specification samples.
struct PlannedEdgeType {
  int edge_type = 0;  // index in the schema
  int src_type = 0;
  int dst_type = 0;
  std::string name;              // "src,rel,dst": part of the hop key
  std::vector<int32_t> fanouts;  // per hop; -1: all
};

// Immutable; shared by all batches of a session.
struct SamplingPlan {
  Sha256Digest session{};  // SHA-256 of the specification's bytes
  uint64_t random_seed = 0;
  int num_hops = 0;
  bool replace = false;
  bool expand_all = false;
  bool collect_features = false;
  bool typed_names = false;  // heterogeneous: suffixes in tensor names
  int input_type = 0;
  uint64_t batch_size = 0;
  uint64_t input_count = 0;
  std::vector<PlannedEdgeType> edge_types;  // canonical order
  std::vector<int> node_types;              // planned ones, ascending
  v1::SessionSpec spec;

  // INVALID_ARGUMENT, naming the field and what is allowed, when `spec_bytes`
  // is no specification for this graph; FAILED_PRECONDITION when it was made
  // for another content digest or semantics version (both are named).
  static absl::StatusOr<SamplingPlan> Make(const GraphSchema& schema,
                                           std::string_view spec_bytes);
};

// Whether the batch holds rows of this type's edges, which their places in the
// partition find.
bool NeedsPositions(const GraphSchema& schema, const SamplingPlan& plan,
                    const PlannedEdgeType& type);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_H_
