// Builds a session's specification from a user's options, with all defaults
// resolved.
#ifndef TRIBUTARY_COMMON_SESSION_SPEC_BUILDER_H_
#define TRIBUTARY_COMMON_SESSION_SPEC_BUILDER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/hash/sha256.h"
#include "common/session/collected_columns.h"
#include "common/session/draw_options.h"
#include "common/session/feature_dtype.h"
#include "common/session/link_columns.h"
#include "common/session/num_neighbors.h"
#include "common/session/subgraph_options.h"

namespace tributary {

namespace v1 {
class NeighborSampling;
class SessionSpec;
}  // namespace v1

// The properties of a graph that a specification depends on.
struct SpecGraph {
  std::string name;
  Sha256Digest content_digest{};
  Sha256Digest layout_digest{};
  std::vector<std::string> node_types;  // ascending bytewise
  std::vector<std::string> edge_types;  // "src,rel,dst", in canonical order
  std::set<std::string>
      reverses;  // edge types that hold the edges of another, reversed
};

// The order of an epoch's inputs.
enum class ShuffleMode {
  kNone,
  kGlobal,
  kLocal,
  kWeighted,  // drawn by weights, which are part of the inputs' digest only
};
// The nodes that each hop expands: those that the last one found (PyG and GLT),
// or all nodes so far (DGL's blocks).
enum class ExpandMode { kNew, kAll };

// Inputs that are links.
struct LinkInputs {
  std::string edge_type;  // "src,rel,dst"; empty: the graph's only edge type
  LabelType label = LabelType::kNone;
  bool edge_ids = false;   // each link has an edge id
  uint64_t negatives = 0;  // the user's own negatives per link
  // Used instead of edge_type for links of several edge types, in canonical
  // order: the number of links of each, one type after the other.
  std::vector<std::pair<std::string, uint64_t>> lists;
};

// A user's options for one session.
//
//   SpecOptions options;
//   options.input_count = ids.size();
//   options.inputs_sha256 = InputsSha256(ids);
//   options.num_neighbors = {15, 10};
//   options.batch_size = 1024;
//   ASSIGN_OR_RETURN(std::string bytes, BuildNeighborSpec(graph, options));
struct SpecOptions {
  std::string input_type;           // empty: the graph's only node type
  std::optional<LinkInputs> links;  // instead of nodes of input_type
  uint64_t input_count = 0;
  Sha256Digest inputs_sha256{};
  NumNeighbors num_neighbors;
  uint64_t batch_size = 0;
  uint64_t random_seed = 0;
  ShuffleMode shuffle = ShuffleMode::kGlobal;
  bool replace = false;
  ExpandMode expand = ExpandMode::kNew;
  DrawOptions draws;
  SubgraphOptions subgraph;
  CollectedColumns collect;
  FeatureDType feature_dtype = FeatureDType::kStored;
  bool collect_degrees = false;
  bool omit_edge_ids = false;  // batches have no e_id
};

// Returns `input_type`, or the graph's only node type if that is empty.
// INVALID_ARGUMENT lists the node types there are.
absl::StatusOr<std::string> ResolveInputType(const SpecGraph& graph,
                                             std::string_view input_type);

// Returns `edge_type`, or the graph's only edge type if that is empty. It must
// lead from the inputs' node type to itself. INVALID_ARGUMENT with what is
// allowed.
absl::StatusOr<std::string> ResolveSelfEdgeType(const SpecGraph& graph,
                                                std::string_view edge_type,
                                                std::string_view input_type);

// Returns `edge_type`, or the graph's only edge type if that is empty.
// INVALID_ARGUMENT with what is allowed.
absl::StatusOr<std::string> ResolveInputEdgeType(const SpecGraph& graph,
                                                 std::string_view edge_type);

// The part that the builders of all kinds share: checks and fills the common
// fields, calls `fill_kind` to set the kind's message, and returns the
// SessionSpec's bytes.
absl::StatusOr<std::string> BuildSpecOfKind(
    const SpecGraph& graph, const SpecOptions& options,
    absl::FunctionRef<absl::Status(v1::SessionSpec*)> fill_kind);

// Returns the identity of a session: the SHA-256 of its specification's bytes.
inline Sha256Digest SessionIdentity(std::string_view spec_bytes) {
  return Sha256Of(spec_bytes);
}

// Returns the SHA-256 of original ids in list order, and of their times if
// given, for SpecOptions::inputs_sha256.
Sha256Digest InputsSha256(absl::Span<const int64_t> original_ids,
                          absl::Span<const int64_t> times = {});

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_SPEC_BUILDER_H_
