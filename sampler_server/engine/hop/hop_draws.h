// Declares the hop of each kind of draw; SampleHop chooses among them after it
// has checked the query.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_DRAWS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_DRAWS_H_

#include "absl/status/status.h"
#include "sampler_server/engine/hop/hop_kernel.h"

namespace tributary {

absl::Status SampleUniform(const HopSource& source, HopEdges* out);
absl::Status SampleWeighted(const HopSource& source, HopEdges* out);
absl::Status SampleTemporal(const HopSource& source, HopEdges* out);
absl::Status SampleLabor(const HopSource& source, HopEdges* out);
absl::Status SampleAcrossTypes(const HopSource& source, HopEdges* out);
// Serves any kind of draw if the query has a predicate.
absl::Status SampleByPredicate(const HopSource& source, HopEdges* out);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_HOP_DRAWS_H_
