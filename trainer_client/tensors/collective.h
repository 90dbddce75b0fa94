// Collective operations of the ranks of a run.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_COLLECTIVE_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_COLLECTIVE_H_

#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// The longest that rank 0 may work at one operation: a snapshot of terabytes
// takes hours.
inline constexpr absl::Duration kLongestWork = absl::Hours(24);

// Keeps other ranks waiting while rank 0 works longer than the timeout of a
// meeting. Rank 0 calls Report() often; it meets them when it is time, which is
// once in a quarter of the timeout.
class CollectiveProgress {
 public:
  CollectiveProgress(TensorClient& client, std::string what)
      : client_(client),
        what_(std::move(what)),
        began_(client.strand().Now()),
        met_(began_) {}
  // Returns the error of the meeting, or DEADLINE_EXCEEDED after kLongestWork,
  // which ends the work.
  absl::Status Report();

 private:
  TensorClient& client_;
  const std::string what_;
  const absl::Time began_;
  absl::Time met_;
};

// Runs one operation for all ranks. Each brings `mine`: what it asks for, or
// why it cannot ask. If all ask for the same, rank 0 runs `act`, and all return
// what it returns. INVALID_ARGUMENT, naming a rank, if ranks ask for different
// things; a rank's own error goes to all with its number. `what` describes the
// operation in messages, for example "create 'emb'". `mine` and the result of
// `act` have at most 200 bytes, or 4 KiB in small worlds.
//
// The other ranks wait while the first member, where all meet, says that rank 0
// works. One that lies holds them no longer than rank 0 may work, and by no
// more meetings than rank 0 can come to: after kLongestWork they return
// DEADLINE_EXCEEDED, and INTERNAL if it says so too often, with its address.
absl::StatusOr<std::string> RunTogether(
    TensorClient& client, const std::string& what,
    const absl::StatusOr<std::string>& mine,
    absl::FunctionRef<absl::StatusOr<std::string>(CollectiveProgress&)> act);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_COLLECTIVE_H_
