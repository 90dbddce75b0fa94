// Reads snapshots of tensors.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_SNAPSHOT_RESTORE_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_SNAPSHOT_RESTORE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// Reads the snapshot in `folder` on rank 0, continues its number of rounds on
// all members and ranks, and makes it what tensors of its names begin with. A
// collective; see DistContext::RestoreFrom. DATA_LOSS, with the file, for a
// snapshot that is damaged.
absl::Status RestoreTensors(const std::shared_ptr<TensorClient>& client,
                            const std::string& folder);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_SNAPSHOT_RESTORE_H_
