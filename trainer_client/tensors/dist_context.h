// The group of trainers of one run, and its connections to the servers: what
// distributed tensors and graphs are made over.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_DIST_CONTEXT_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_DIST_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "partition/schema/schema.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {

class GradientRounds;
class TensorClient;

struct DistContextOptions {
  int rank = 0;                        // 0 to world_size - 1
  int world_size = 1;                  // 1 to 4096
  std::string group_name = "default";  // GLT's; the ranks' name in messages
  // Tells apart the starts of one run: a later start has a larger number, and
  // all ranks of a start have the same. 0: rank 0 takes the time of day, and
  // the others whichever attempt of the job is open, which may be an older one
  // for a moment; so give one where ranks may restart.
  uint64_t attempt = 0;
  // The longest that a collective or a call waits. 0.1 s to 1 day.
  absl::Duration timeout = absl::Seconds(180);
};

// One rank's part of a group. All ranks make the same collective calls
// (Barrier, AllGather, the creation of tensors) in the same order. Ranks meet
// on a server, without torch. Must outlive all that is made over it. Calls wait
// in the caller's thread; thread-safe, but collectives come from one thread.
class DistContext {
 public:
  // Opens the group over `workers`, which must outlive it. Rank 0 chooses the
  // servers that hold rows, once for the whole attempt: those that answer. With
  // several ranks the mode must be remote (INVALID_ARGUMENT else: other ranks
  // could not reach the rows). DEADLINE_EXCEEDED if no server answers, or rank
  // 0 does not open the attempt within the timeout.
  static absl::StatusOr<std::unique_ptr<DistContext>> Open(
      SamplingWorkers* workers, const DistContextOptions& options);
  virtual ~DistContext() = default;

  virtual const DistContextOptions& options() const = 0;
  int rank() const { return options().rank; }
  int world_size() const { return options().world_size; }
  virtual SamplingWorkers& workers() const = 0;
  virtual const GraphSchema& schema() const = 0;

  // Waits for all ranks. DEADLINE_EXCEEDED names those that have not come;
  // INVALID_ARGUMENT if another rank is at another collective.
  virtual absl::Status Barrier(absl::string_view name) = 0;
  // Returns the values of all ranks, by rank. `value`: at most 64 KiB.
  virtual absl::StatusOr<std::vector<std::string>> AllGather(
      absl::string_view name, const std::string& value) = 0;

  // Tensors that are created from now on begin with the rows of this snapshot
  // (WriteTensorSnapshot), where it has one of their name. Rank 0 reads it; the
  // others pass an empty path.
  virtual absl::Status RestoreFrom(const std::string& folder) = 0;

  // Ends the run on the servers once all ranks have called it: tensors that are
  // not persistent end. A collective. Without it, they end with the next
  // attempt of the job; of a group of one rank, with this object.
  virtual absl::Status Close() = 0;

  // Makes the calls that wait, and all later ones, fail with CANCELLED. Any
  // thread.
  virtual void Cancel() = 0;

  // Whether a server that holds rows wants to end: the run should save a
  // checkpoint and stop. Local; true from the first answer that says so.
  virtual bool server_draining() const = 0;

  // Returns how many rows were read that a Prefetch had asked for before.
  virtual uint64_t rows_read_ahead() const = 0;

  // For classes of this folder.
  virtual TensorClient& tensors() const = 0;
  virtual GradientRounds& rounds() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_DIST_CONTEXT_H_
