// Edges from each node to itself.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SELF_LOOPS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SELF_LOOPS_H_

#include "trainer_client/torch/nn/segment/segments.h"

namespace tributary {

// Returns the segments with self loops, as PyG's remove_self_loops and
// add_self_loops: without edges v -> v, then with one at the end of each
// segment v. Segment v must be of the node of row v. Throws c10::Error where
// there are more segments than rows.
Segments WithSelfLoops(const Segments& segments);

// The same by ATen's operators, for any device.
Segments ComposedSelfLoops(const Segments& segments);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_SELF_LOOPS_H_
