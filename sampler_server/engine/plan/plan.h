// A specification made ready to run on one graph.
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
#include "common/session/draw_options.h"
#include "common/session/feature_dtype.h"
#include "common/session/link_columns.h"
#include "common/session/subgraph_options.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/plan/sampling_kind.h"

namespace tributary {

// One edge type that the specification samples.
struct PlannedEdgeType {
  int edge_type = 0;  // index in the schema
  int src_type = 0;
  int dst_type = 0;
  std::string name;                     // "src,rel,dst": part of the hop key
  std::vector<int32_t> fanouts;         // per hop; -1: all
  Draw draw = Draw::kUniform;           // types without weights draw uniformly
  TimeColumn time = TimeColumn::kNone;  // types without times are free
  std::shared_ptr<const EdgePredicate> predicate;  // null: every edge
  // Bidirectional: the plan's type whose edges it mirrors; -1: none. Among
  // those of another type it has no rows of its own: no edge_attr.
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

// Inputs that are links of one edge type: they lie together in the list.
struct PlannedLinkList {
  int edge_type = 0;  // index in the schema
  uint64_t count = 0;
};

// What only one kind of sampling knows of its plan. Immutable.
class KindPlan {
 public:
  virtual ~KindPlan() = default;
};

// Immutable; shared by all batches of a session.
struct SamplingPlan {
  bool takes_links() const { return !link_lists.empty(); }

  // Common to all kinds.
  Sha256Digest session{};  // SHA-256 of the specification's bytes
  uint64_t random_seed = 0;
  bool collect_features = false;
  FeatureDType feature_dtype = FeatureDType::kStored;  // of x and edge_attr
  bool typed_names = false;  // heterogeneous: suffixes in tensor names
  int input_type = 0;        // of inputs that are nodes; else -1
  std::vector<PlannedLinkList> link_lists;  // inputs that are links; or none
  LabelType label = LabelType::kNone;       // that links have
  bool edge_ids = false;                    // links come with their edges' ids
  uint64_t negatives = 0;                   // that come with each link
  uint64_t batch_size = 0;
  uint64_t input_count = 0;
  v1::SessionSpec spec;
  const SamplingKind* kind = nullptr;

  // Which tensors a batch has: the kind says.
  int num_hops = 0;  // counts of nodes and edges per hop; 0: no counts
  std::vector<PlannedEdgeType> edge_types;  // canonical order
  std::vector<int> node_types;  // ascending; inputs' and edges' ends included

  // How hops draw, for kinds that have some.
  bool replace = false;
  bool expand_all = false;
  bool layer_dependency = false;
  bool strict = false;
  bool latest = false;
  // A tree for each position, and what time bounds it.
  bool disjoint = false;
  InputTimeMode input_time = InputTimeMode::kNone;
  // Which edges are in the batch; not directional: not by hop, and what hops
  // draw is on its way only.
  SubgraphOptions subgraph;

  // Working memory that a task takes beside what is common: whatever its
  // inputs, and for each.
  uint64_t task_bytes = 0;
  uint64_t task_bytes_per_input = 0;
  // The rest of what the kind planned; may be null.
  std::shared_ptr<const KindPlan> part;

  // INVALID_ARGUMENT, naming the field and what is allowed, when `spec_bytes`
  // is no specification for this graph by one of `kinds`, which outlive the
  // plan; FAILED_PRECONDITION when it was made for another content digest or
  // semantics version (both are named).
  static absl::StatusOr<SamplingPlan> Make(
      absl::Span<const SamplingKind* const> kinds, const GraphSchema& schema,
      std::string_view spec_bytes);
};

// Whether the batch holds rows of this type's edges, which their places in the
// partition find.
bool NeedsPositions(const GraphSchema& schema, const SamplingPlan& plan,
                    const PlannedEdgeType& type);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_PLAN_H_
