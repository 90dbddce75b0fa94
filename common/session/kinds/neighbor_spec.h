// The specification of a session that samples neighbours.
#ifndef TRIBUTARY_COMMON_SESSION_KINDS_NEIGHBOR_SPEC_H_
#define TRIBUTARY_COMMON_SESSION_KINDS_NEIGHBOR_SPEC_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/session/spec_builder.h"

namespace tributary {

// Writes fanouts, draws and subgraph options to `neighbor`, the
// NeighborSampling of `spec`, and checks them. For all kinds that sample
// neighbours. INVALID_ARGUMENT with the option and what is allowed.
absl::Status FillNeighbors(const SpecGraph& graph, const SpecOptions& options,
                           v1::NeighborSampling* neighbor,
                           v1::SessionSpec* spec);

// Returns the bytes of the SessionSpec. Equal options give equal bytes on every
// machine. Every edge type of the graph is in it, with its fanouts.
// INVALID_ARGUMENT, naming the option and what is allowed.
absl::StatusOr<std::string> BuildNeighborSpec(const SpecGraph& graph,
                                              const SpecOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_KINDS_NEIGHBOR_SPEC_H_
