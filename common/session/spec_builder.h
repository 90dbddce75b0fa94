// From what a user asks to a session's specification, all defaults resolved.
#ifndef TRIBUTARY_COMMON_SESSION_SPEC_BUILDER_H_
#define TRIBUTARY_COMMON_SESSION_SPEC_BUILDER_H_

#include <cstdint>
#include <map>
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
#include "common/session/draw_options.h"
#include "common/session/feature_dtype.h"
#include "common/session/link_columns.h"
#include "common/session/subgraph_options.h"

namespace tributary {

namespace v1 {
class NeighborSampling;
class SessionSpec;
}  // namespace v1

// What a specification must know of the graph it is for.
struct SpecGraph {
  std::string name;
  Sha256Digest content_digest{};
  Sha256Digest layout_digest{};
  std::vector<std::string> node_types;  // ascending bytewise
  std::vector<std::string> edge_types;  // "src,rel,dst", in canonical order
  std::set<std::string> reverses;       // those that hold others' edges
};

enum class ShuffleMode {
  kNone,
  kGlobal,
  kLocal,
  kWeighted,  // drawn by weights, which only the digest of the inputs knows
};
enum class ExpandMode { kNew, kAll };

// Neighbours per hop: a default and what differs from it.
struct NumNeighbors {
  // Empty: 0 in every hop. With edge_dir both not for reverses, whose edges
  // come with those that they are the reverses of.
  std::vector<int32_t> by_default;
  std::map<std::string, std::vector<int32_t>> by_edge_type;  // "src,rel,dst"
  friend bool operator==(const NumNeighbors&, const NumNeighbors&) = default;
};

// "15,10,5" or "4,3;publication,author,person=2,0" (a default, then edge
// types) or "a,b,c=2,0;d,e,f=1,1" (no default). INVALID_ARGUMENT with the text.
absl::StatusOr<NumNeighbors> ParseNumNeighbors(std::string_view text);

// Checks that there are 1 to kMaxHops hops, the same number in all lists, and
// that each fanout is -1 to kMaxFanout. INVALID_ARGUMENT with what is allowed.
absl::Status CheckNumNeighbors(const NumNeighbors& neighbors);

// Inputs that are links.
struct LinkInputs {
  std::string edge_type;  // "src,rel,dst"; empty: the graph's only edge type
  LabelType label = LabelType::kNone;
  bool edge_ids = false;   // that come with each
  uint64_t negatives = 0;  // that come with each: a user's own
  // Of several edge types instead of one, in canonical order: how many are of
  // each, one type after the other.
  std::vector<std::pair<std::string, uint64_t>> lists;
};

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
  bool collect_features = true;
  FeatureDType feature_dtype = FeatureDType::kStored;
};

// `input_type`, or the graph's only node type when that is empty.
// INVALID_ARGUMENT lists the types that there are.
absl::StatusOr<std::string> ResolveInputType(const SpecGraph& graph,
                                             std::string_view input_type);

// `edge_type`, or the graph's only one when that is empty, which must be from
// the inputs' node type to itself. INVALID_ARGUMENT with what is allowed.
absl::StatusOr<std::string> ResolveSelfEdgeType(const SpecGraph& graph,
                                                std::string_view edge_type,
                                                std::string_view input_type);

// `edge_type`, or the graph's only one when that is empty. As above.
absl::StatusOr<std::string> ResolveInputEdgeType(const SpecGraph& graph,
                                                 std::string_view edge_type);

// Fanouts and draws of every edge type, for kinds that sample neighbours;
// `neighbor` is that of `spec`.
absl::Status FillNeighbors(const SpecGraph& graph, const SpecOptions& options,
                           v1::NeighborSampling* neighbor,
                           v1::SessionSpec* spec);

// What the builders of all kinds share: checks and fills what is common, has
// `fill_kind` set the kind's message, and gives the bytes.
absl::StatusOr<std::string> BuildSpecOfKind(
    const SpecGraph& graph, const SpecOptions& options,
    absl::FunctionRef<absl::Status(v1::SessionSpec*)> fill_kind);

// The SessionSpec's bytes: the same options give the same bytes, on every
// machine. Every edge type of the graph is in it, with its fanouts.
// INVALID_ARGUMENT, naming the option and what is allowed.
absl::StatusOr<std::string> BuildSessionSpec(const SpecGraph& graph,
                                             const SpecOptions& options);

// What names a session everywhere: the SHA-256 of the specification's bytes.
inline Sha256Digest SessionIdentity(std::string_view spec_bytes) {
  return Sha256Of(spec_bytes);
}

// Of original ids in list order, and of their times where they are given, as
// SpecOptions::inputs_sha256 wants it.
Sha256Digest InputsSha256(absl::Span<const int64_t> original_ids,
                          absl::Span<const int64_t> times = {});

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_SPEC_BUILDER_H_
