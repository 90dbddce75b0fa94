// How a session draws neighbours: mode, times, conditions and direction, and
// the rules between these options. Fanouts are in spec_builder.h.
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

// How the neighbours of a node are drawn.
enum class DrawMode {
  kUniform,
  kWeighted,  // PyG's weight_attr, GLT's with_weight, DGL's prob
  kLabor,     // DGL's LaborSampler with importance_sampling 0
  // Uniformly among the in-edges of all types together, with one fanout for
  // their total: DGL's sample_neighbors on a homogenised graph.
  kAcrossTypes,
};
// The time that is compared with the input's time to decide whether an edge may
// be drawn.
enum class TimeMode {
  kNone,
  kEdge,  // the edge's time: PyG's time_attr of edges
  kNode,  // the neighbour's time: PyG's time_attr of nodes
};
// Which of the edges that the input's time permits are taken.
enum class TemporalStrategy {
  kUniform,
  kLast,  // the latest; nothing is drawn
};
// The edges of a node that lead to its neighbours: GLT's edge_dir.
enum class EdgeDirection {
  kIn,
  kOut,
  kBoth,  // in, then out without self loops; the fanout holds for each
};
// Where the time of an input comes from.
enum class InputTimeMode {
  kNone,
  kGiven,  // one per input, sent with the credit
  kOwn,    // the time that the graph stores of the node
};

// A user's options for drawing neighbours.
struct DrawOptions {
  DrawMode draw = DrawMode::kUniform;
  bool layer_dependency = false;  // LABOR: use the same variates in every hop
  TimeMode time = TimeMode::kNone;
  TemporalStrategy temporal_strategy = TemporalStrategy::kUniform;
  bool strict = false;    // edges before the input's time, not at it
  bool disjoint = false;  // a separate tree per input; implied by a time
  InputTimeMode input_time = InputTimeMode::kNone;
  EdgePredicates edge_predicates;  // only edges that meet them are drawn
  // The name of a mask (DGL's mask): only edges for which it is true are drawn,
  // in addition to the predicates. Empty: no mask.
  std::string edge_mask;
  EdgeDirection edge_dir = EdgeDirection::kIn;
  friend bool operator==(const DrawOptions&, const DrawOptions&) = default;
};

// Returns the neighbour sampling of a specification of any kind; an empty
// message for kinds without it.
const v1::NeighborSampling& NeighborsOf(const v1::SessionSpec& spec);

// Writes the options to `neighbor`, the NeighborSampling of `spec`, and the
// inputs' time to `spec`. Options with their default value stay absent.
void FillDraws(const DrawOptions& options, v1::NeighborSampling* neighbor,
               v1::SessionSpec* spec);

// Checks that the options of `spec` may be combined, independent of the graph.
// INVALID_ARGUMENT with the field, its value and what is allowed.
absl::Status CheckDraws(const v1::SessionSpec& spec);

// Like CheckDraws, for options that are not in a specification yet.
absl::Status CheckDrawOptions(const DrawOptions& options, bool replace);

// The data of a graph that draws depend on.
struct DrawTraits {
  // One edge type that the session samples.
  struct EdgeType {
    std::string name;  // "src,rel,dst"
    bool weights = false;
    bool edge_times = false;
    bool neighbor_times = false;
    bool neighbor_ids = false;
    EdgeColumns columns;  // columns that conditions can use
  };
  // The edge types that the session samples.
  std::vector<EdgeType> planned;
  std::string input_type;
  bool input_times = false;  // whether nodes of the input type have times
};

// Checks that the graph has the data that the options need.
// - Weights and times: at least one planned type has them; draws of the others
//   are uniform and unrestricted.
// - LABOR: all planned types store their neighbours' ids.
// - A mask: at least one planned type has it; all edges of the others may be
//   drawn.
// - Predicates: a type that is named must be planned and have all the columns;
//   at least one type that is not named must have those of the default.
// INVALID_ARGUMENT with the field, its value and what is allowed.
absl::Status CheckDrawsOn(const DrawTraits& graph, const v1::SessionSpec& spec);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_DRAW_OPTIONS_H_
