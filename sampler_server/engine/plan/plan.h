// A session's specification, checked against a graph and resolved to its types.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_PLAN_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/hash/sha256.h"
#include "common/proto/session.pb.h"
#include "common/session/collected_columns.h"
#include "common/session/draw_options.h"
#include "common/session/feature_dtype.h"
#include "common/session/link_columns.h"
#include "common/session/subgraph_options.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/plan/sampling_kind.h"

namespace tributary {

// An edge type that the session samples.
struct PlannedEdgeType {
  int edge_type = 0;  // index in the schema
  int src_type = 0;
  int dst_type = 0;
  std::string name;                    // "src,rel,dst": part of the hop key
  std::vector<int32_t> fanouts;        // per hop; -1: all
  DrawMode draw = DrawMode::kUniform;  // types without weights draw uniformly
  TimeMode time = TimeMode::kNone;     // types without times are free
  std::shared_ptr<const EdgePredicate> predicate;  // null: every edge
  // Bidirectional subgraphs: the type of the plan whose edges, reversed, are
  // added to this one's; -1: none. If that is another type, the batch has no
  // edge_attr of this one: has_rows is false.
  int mirrors = -1;
  bool has_rows = true;
  // Out-edges are drawn from the rows of the reverse type `edge_type`; the
  // batch has them reversed, as edges of this type of the schema. -1: not
  // reversed.
  int emitted_as = -1;
  // The type of the plan whose tensors this one's edges go to, hop by hop
  // behind that type's; types that share tensors are neighbours in the plan.
  // -1: it has tensors of its own.
  int shares_tensors_of = -1;

  // The type of the schema that the batch's edges have.
  int emitted_type() const { return emitted_as < 0 ? edge_type : emitted_as; }
};

// Inputs that are links of one edge type. They are contiguous in the input
// list.
struct PlannedLinkList {
  int edge_type = 0;  // index in the schema
  uint64_t count = 0;
};

// The part of a plan that only one kind of sampling has. Immutable.
class KindPlan {
 public:
  virtual ~KindPlan() = default;
};

// Immutable once made; shared by all batches of a session.
struct SamplingPlan {
  bool takes_links() const { return !link_lists.empty(); }
  // Returns whether steps keep the ids of the edges that hops draw: for e_id,
  // or to choose among parallel edges that a mirrored one replaces.
  bool holds_edge_ids() const {
    return !omit_edge_ids || subgraph.type == SubgraphType::kBidirectional;
  }

  // Members that all kinds have.
  Sha256Digest session{};  // SHA-256 of the specification's bytes
  uint64_t random_seed = 0;
  CollectedColumns collect = CollectedColumns::None();
  FeatureDType feature_dtype = FeatureDType::kStored;  // of x and edge_attr
  bool collect_degrees = false;  // in_degree, out_degree of all edge tensors
  bool omit_edge_ids = false;    // batches have no e_id
  bool typed_names = false;      // heterogeneous: suffixes in tensor names
  int input_type = 0;            // of inputs that are nodes; else -1
  std::vector<PlannedLinkList> link_lists;  // inputs that are links
  LabelType label = LabelType::kNone;       // of links
  bool edge_ids = false;                    // links have their edges' ids
  uint64_t negatives = 0;                   // given with each link
  uint64_t batch_size = 0;
  uint64_t input_count = 0;
  v1::SessionSpec spec;
  const SamplingKind* kind = nullptr;

  // Which tensors a batch has; set by the kind.
  int num_hops = 0;  // entries of num_sampled_*; 0: no such tensors
  std::vector<PlannedEdgeType> edge_types;  // canonical order
  std::vector<int> node_types;  // ascending; with those of inputs and edges

  // How hops draw, for kinds that have hops.
  bool replace = false;
  bool expand_all = false;
  bool layer_dependency = false;
  bool strict = false;
  bool latest = false;
  // A tree for each input, and the time that bounds it.
  bool disjoint = false;
  InputTimeMode input_time = InputTimeMode::kNone;
  // Which edges are in the batch. Unless directional, they are not ordered by
  // hop, and the edges that hops draw are intermediate.
  SubgraphOptions subgraph;

  // Working memory of a task in addition to that of all kinds: a fixed part and
  // a part for each input.
  uint64_t task_bytes = 0;
  uint64_t task_bytes_per_input = 0;
  // Memory of the tables that all batches share, made by the first of them.
  uint64_t shared_bytes = 0;
  // The kind's own part; may be null.
  std::shared_ptr<const KindPlan> part;

  // Returns the memory that the plan takes, about, with its tables.
  uint64_t bytes() const;

  // Parses and checks `spec_bytes`, a serialized SessionSpec of one of `kinds`,
  // which outlive the plan. Errors: INVALID_ARGUMENT, naming the field and what
  // is allowed; FAILED_PRECONDITION, if it was made for another content digest
  // or semantics version (both are named).
  static absl::StatusOr<SamplingPlan> Make(
      absl::Span<const SamplingKind* const> kinds, const GraphSchema& schema,
      std::string_view spec_bytes);
};

// Return whether the batch has the column: of the nodes of a type, and of the
// edges of a type that the plan reads.
bool CollectsX(const NodeTypeSchema& type, const SamplingPlan& plan);
bool CollectsY(const NodeTypeSchema& type, const SamplingPlan& plan);
bool CollectsTime(const NodeTypeSchema& type, const SamplingPlan& plan);
bool CollectsEdgeAttr(const GraphSchema& schema, const SamplingPlan& plan,
                      const PlannedEdgeType& type);
bool CollectsWeight(const GraphSchema& schema, const SamplingPlan& plan,
                    const PlannedEdgeType& type);

// Returns whether the batch has a column of this type's edges, so that steps
// must keep the edges' positions in their partitions.
bool NeedsPositions(const GraphSchema& schema, const SamplingPlan& plan,
                    const PlannedEdgeType& type);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_PLAN_H_
