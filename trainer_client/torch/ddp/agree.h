// Makes what one rank has found the result of all ranks. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_AGREE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_AGREE_H_

#include "absl/status/status.h"
#include "trainer_client/torch/ddp/process_group.h"

namespace tributary {

// Returns rank 0's status on every rank, so that none goes on without the
// others; that of other ranks is ignored. Every rank must call it. Errors of
// ProcessGroup.
absl::Status AgreeOnRank0(ProcessGroup& group, const absl::Status& of_rank_0);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_AGREE_H_
