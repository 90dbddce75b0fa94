// Which neighbours a session draws, beyond how many: its options and the rules
// between them.
#ifndef TRIBUTARY_COMMON_SESSION_DRAW_OPTIONS_H_
#define TRIBUTARY_COMMON_SESSION_DRAW_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/session/edge_condition.h"

namespace tributary {

namespace v1 {
class NeighborSampling;
class SessionSpec;
}  // namespace v1

enum class DrawMode {
  kUniform,
  kWeighted,  // PyG's weight_attr, GLT's with_weight, DGL's prob
  kLabor,     // DGL's LaborSampler with importance_sampling 0
};
enum class TimeMode {
  kNone,
  kEdge,  // PyG's time_attr of edges
  kNode,  // ... of nodes: the neighbour's
};
enum class TemporalStrategy {
  kUniform,
  kLast,  // the latest, no draw
};
// GLT's edge_dir: which edges of a node lead to its neighbours.
enum class EdgeDirection {
  kIn,
  kOut,
  kBoth,  // in, then out without self loops; the fanout is of each
};
enum class InputTimeMode {
  kNone,
  kGiven,  // one for each input, with the credit
  kOwn,    // the node's own
};

struct DrawOptions {
  DrawMode draw = DrawMode::kUniform;
  bool layer_dependency = false;  // LABOR: the same variates in every hop
  TimeMode time = TimeMode::kNone;
  TemporalStrategy temporal_strategy = TemporalStrategy::kUniform;
  bool strict = false;    // before the input's time, not at it
  bool disjoint = false;  // a tree for each input; a time implies it
  InputTimeMode input_time = InputTimeMode::kNone;
  EdgePredicates edge_predicates;  // edges that meet them
  // DGL's mask: edges that the mask of this name is true of, beside predicates;
  // empty: all.
  std::string edge_mask;
  EdgeDirection edge_dir = EdgeDirection::kIn;
  friend bool operator==(const DrawOptions&, const DrawOptions&) = default;
};

// The neighbour sampling of a specification, whatever kind it is part of; empty
// for kinds without.
const v1::NeighborSampling& NeighborsOf(const v1::SessionSpec& spec);

// Writes the options into `neighbor`, which is that of `spec`, and the inputs'
// time; what is not asked for stays absent.
void FillDraws(const DrawOptions& options, v1::NeighborSampling* neighbor,
               v1::SessionSpec* spec);

// What options may be together, whatever the graph. INVALID_ARGUMENT with the
// field, its value and what is allowed.
absl::Status CheckDraws(const v1::SessionSpec& spec);

// The same of options that are no specification yet.
absl::Status CheckDrawOptions(const DrawOptions& options, bool replace);

// What a graph has for draws.
struct DrawTraits {
  struct EdgeType {
    std::string name;  // "src,rel,dst"
    bool weights = false;
    bool edge_times = false;
    bool neighbor_times = false;
    bool neighbor_ids = false;
    EdgeColumns columns;  // for conditions
  };
  std::vector<EdgeType> planned;
  std::string input_type;
  bool input_times = false;  // nodes of the input type have times
};

// Whether the graph has what the options need. Weights and times: at least one
// planned type must have them, and draws of the others are uniform and free;
// LABOR: all must have their neighbours' ids. A mask: at least one must have
// it, and of the others all edges are drawn. Predicates: a type that is named
// must be planned and have all columns, and one at least that is not named must
// have the default's. INVALID_ARGUMENT as above.
absl::Status CheckDrawsOn(const DrawTraits& graph, const v1::SessionSpec& spec);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_DRAW_OPTIONS_H_
