// Tells errors that a rank has because another one ended from its own.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_PEER_LOSS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_PEER_LOSS_H_

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace tributary {

// Runs a collective as CatchTorch() does. An exception of the network between
// the ranks is returned as INTERNAL, too, and LostPeers() tells it.
absl::Status CatchCollective(std::string_view what,
                             absl::FunctionRef<absl::Status()> collective);

// Whether a collective failed between the ranks: another rank has ended, or
// does not answer. The cause is that rank's, and this one's is a consequence.
bool LostPeers(const absl::Status& status);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_PEER_LOSS_H_
