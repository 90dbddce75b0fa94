// The hops of neighbour sampling, which the kinds `neighbor` and `link` have.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_NEIGHBOR_HOPS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_NEIGHBOR_HOPS_H_

#include "absl/status/status.h"
#include "common/session/batch_bound.h"
#include "common/session/spec_builder.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/kinds/collected_features.h"
#include "trainer_client/core/kinds/loader_options.h"

namespace tributary {

// Returns where the inputs' times come from; `given`: the options have them.
InputTimeMode InputTimesOf(const NeighborOptions& options, bool given);

// Checks draws and subgraph, without a graph. INVALID_ARGUMENT with the field.
absl::Status CheckHopOptions(const NeighborOptions& options, bool times_given);
// Checks that the names are UTF-8. INVALID_ARGUMENT likewise.
absl::Status CheckHopNames(const NeighborOptions& options);

// Writes the options into `spec`.
void FillHopOptions(const NeighborOptions& options, bool times_given,
                    SpecOptions* spec);

// The functions below read the neighbour sampling of a specification that was
// built for the graph.

// Checks that the graph has the weights, times, ids and masks that are asked
// for. INVALID_ARGUMENT with the field and what is allowed.
absl::Status CheckHopsOnGraph(const GraphSchema& schema,
                              const v1::SessionSpec& spec);

// Adds the edge types that hops sample, and their ends.
void AddHopTypes(const v1::SessionSpec& spec, SampledTypes* types);

// Returns the inputs of BatchBytesBound, without where hops begin: the caller
// sets input_type or starts.
BatchBoundInputs HopBoundInputs(const GraphSchema& schema,
                                const v1::SessionSpec& spec);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_NEIGHBOR_HOPS_H_
