// Checks that all ranks train on the same graph. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_SAME_GRAPH_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_SAME_GRAPH_H_

#include "absl/status/status.h"
#include "partition/schema/schema.h"

namespace tributary {

class ProcessGroup;

// Compares the content digest of `schema` with those of the other ranks: ranks
// that opened a name's newest version at different times would have different
// graphs. Every rank must call it. FAILED_PRECONDITION when they differ, at
// every rank; else the group's errors.
absl::Status CheckSameGraph(const GraphSchema& schema, ProcessGroup& group);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_SAME_GRAPH_H_
