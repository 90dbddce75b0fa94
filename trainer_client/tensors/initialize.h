// A process's context by the names of DGL and GLT.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_INITIALIZE_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_INITIALIZE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/modes/options.h"
#include "trainer_client/tensors/dist_context.h"

namespace tributary {

// The role of a process in a run. Servers and sampling workers are programs of
// their own here, which hold the graph and the rows.
enum class DistRole { kTrainer, kServer };

struct DistOptions {
  DistRole role = DistRole::kTrainer;
  BatchSourceOptions source;  // where batches and rows come from
  DistContextOptions context;
};

// A process has one context at most:
//
//   RETURN_IF_ERROR(InitWorkerGroup(world_size, rank, "trainers"));  // or in
//   RETURN_IF_ERROR(Initialize(options));                            // options
//   ASSIGN_OR_RETURN(DistContext * context, GetContext());
//   ...  // the process group of DDP, loaders, tensors
//   RETURN_IF_ERROR(Finalize());
//
// Misuse is FAILED_PRECONDITION, or INVALID_ARGUMENT for a wrong option, and
// says what to do. Thread-safe.

// GLT's init_worker_group: the place of this process among the trainers. Call
// it at most once, before Initialize, whose options then leave rank,
// world_size and group_name as they are by default.
absl::Status InitWorkerGroup(int world_size, int rank,
                             const std::string& group_name);

// DGL's initialize: opens the source of batches and the context of this
// process. Call it once, before the process group. Errors of
// SamplingWorkers::OpenSource and DistContext::Open too; then it may be called
// again. For the role of a server INVALID_ARGUMENT: `tributary serve` is one.
absl::Status Initialize(const DistOptions& options);

// Returns the context; valid until Finalize.
absl::StatusOr<DistContext*> GetContext();

// Says that this process has made its process group: Initialize comes too late
// then.
void NoteProcessGroup();

// Ends the run once all ranks have called it (DistContext::Close), and this
// process's context. All that was made over the context must be gone. After an
// error of the meeting the context is gone as well. Then Initialize may be
// called again, also after NoteProcessGroup.
absl::Status Finalize();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_INITIALIZE_H_
