// Collective operations of the ranks of a run.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_COLLECTIVE_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_COLLECTIVE_H_

#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// Keeps other ranks waiting while rank 0 works longer than the timeout of a
// meeting. Rank 0 calls Report() often; it meets them when it is time.
class CollectiveProgress {
 public:
  CollectiveProgress(TensorClient& client, std::string purpose)
      : client_(client),
        purpose_(std::move(purpose)),
        met_(client.strand().Now()) {}
  // Returns the error of the meeting, which ends the work.
  absl::Status Report();

 private:
  TensorClient& client_;
  const std::string purpose_;
  absl::Time met_;
};

// Runs one operation for all ranks. Each brings `mine`: what it asks for, or
// why it cannot ask. If all ask for the same, rank 0 runs `act`, and all return
// what it returns. INVALID_ARGUMENT, naming a rank, if ranks ask for different
// things; a rank's own error goes to all with its number. `what` describes the
// operation in messages, for example "create 'emb'". `mine` and the result of
// `act` have at most 200 bytes, or 4 KiB in small worlds.
absl::StatusOr<std::string> RunTogether(
    TensorClient& client, const std::string& what,
    const absl::StatusOr<std::string>& mine,
    absl::FunctionRef<absl::StatusOr<std::string>(CollectiveProgress&)> act);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_COLLECTIVE_H_
