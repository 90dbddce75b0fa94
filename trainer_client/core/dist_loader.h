// The loader of batches that sampling servers make, whatever their kind of
// sampling.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LOADER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "channel/slot_ring.h"
#include "channel/transport.h"
#include "common/runtime/executor.h"
#include "common/trace/batch_timeline.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/core/fleet/wait_notice.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/core/options.h"
#include "trainer_client/core/session/cursor.h"
#include "trainer_client/core/window/loader_stats.h"

namespace tributary {

// The objects that a loader runs on. The caller owns executor and transport,
// which outlive the loader. SamplingWorkers (trainer_client/modes) makes one.
struct LoaderEnvironment {
  Executor* executor = nullptr;
  Transport* transport = nullptr;
  // Returns the memory of `bytes` bytes that batches are received into; for
  // servers that write into it themselves, and for page-locked memory. Empty:
  // the loader allocates its own.
  std::function<absl::StatusOr<std::shared_ptr<SlotRing>>(uint64_t bytes)>
      make_ring;
  // The user's name for the option that sets the ring's size, for errors.
  std::string ring_option = "buffer_size";
  // Receives what the loader waits for, if it is longer than 2 s because of the
  // servers; on the executor. May be empty.
  WaitObserver on_wait;
  // Receives where the time of each batch went, before Next() returns the
  // batch; on the executor, so it must take little time. Empty: batches are not
  // traced, which costs nothing.
  TracedObserver on_traced;
  // Receives the graph's schema, before Create returns.
  std::function<void(const GraphSchema&)> opened = [](const GraphSchema&) {};
};

// Iterates over the mini-batches of one session, epoch by epoch:
//
//   auto loader = DistNeighborLoader::Create(options, worker, environment);
//   if (!loader.ok()) return loader.status();
//   RETURN_IF_ERROR((*loader)->StartEpoch(0));
//   while (true) {
//     ASSIGN_OR_RETURN(std::optional<BatchLease> batch, (*loader)->Next());
//     if (!batch.has_value()) break;  // the end of the epoch
//     Train(batch->view());           // valid while the lease lives
//   }
//
// Batches come in ascending index, each exactly once. Those of typed graphs are
// read by type with ToHeteroBatch. One thread calls, except for Cancel; the
// loader's own work runs on the executor. Every wait ends within rpc_timeout.
class DistLoader {
 public:
  // Asks a server for its graph and the inputs, and returns a loader for any
  // kind of sampling; the loaders of each kind (dist_neighbor_loader.h, ...)
  // call it. INVALID_ARGUMENT: options that are wrong (see
  // RemoteDistSamplingWorkerOptions::Validate) or do not fit the graph;
  // UNAVAILABLE: no server answers within rpc_timeout; NOT_FOUND: no such graph
  // or split.
  static absl::StatusOr<std::unique_ptr<DistLoader>> Create(
      const SessionOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);

  // Leases may outlive the loader.
  virtual ~DistLoader() = default;

  virtual const GraphSchema& schema() const = 0;
  virtual uint64_t num_inputs() const = 0;
  // Returns the number of batches of a whole epoch, over all ranks.
  virtual uint64_t num_batches() const = 0;
  // Return the batches [begin_index, end_index) of the current epoch, over all
  // ranks: from the cursor on, after Resume. Rank r has begin_index + r, and
  // every world-th batch after it. 0 before the first epoch.
  virtual uint64_t begin_index() const = 0;
  virtual uint64_t end_index() const = 0;
  // Returns the number of inputs of batch `index` of the current epoch (0
  // outside it): DDP needs it to weigh an uneven round, without talking to
  // other ranks.
  virtual uint64_t inputs_in_batch(uint64_t index) const = 0;

  // Returns in how many rounds the ranks take the batches of the current epoch:
  // each takes one in a round, or none once it has no more. With own_inputs
  // what agree_rounds returned. 0 before the first epoch.
  virtual uint64_t rounds() const { return end_index() - begin_index(); }

  // Starts an epoch at its beginning. Drops what was prefetched for another.
  virtual absl::Status StartEpoch(uint64_t epoch) = 0;
  // Continues an epoch from a cursor; world and batch size may have changed
  // since. FAILED_PRECONDITION, with both values, for a cursor of another graph
  // content, list of inputs, random_seed, shuffle or drop_last; with own_inputs
  // also for one of another rank or world.
  virtual absl::Status Resume(const Cursor& cursor) = 0;
  // Restricts the current epoch to the batches [from, to). INVALID_ARGUMENT if
  // there are none; FAILED_PRECONDITION after the first Next() of the epoch.
  virtual absl::Status Limit(uint64_t from, uint64_t to) = 0;

  // Returns the next batch of this rank, or none at the end of the epoch. A
  // batch that cannot be made is an error in its place, which names batch,
  // server and cause; the next call continues with the batch after it.
  // FAILED_PRECONDITION if the caller's own leases fill the ring (it says how
  // many).
  virtual absl::StatusOr<std::optional<BatchLease>> Next() = 0;
  // The same for callers that do other things while they wait, such as to look
  // for signals: returns what Next() would return, or nothing if that is not
  // there within `wait` (at most rpc_timeout). The batch stays asked for, and
  // the next call of either takes it; another epoch drops it. The time until
  // the answer counts as waiting.
  virtual std::optional<absl::StatusOr<std::optional<BatchLease>>> TryNext(
      absl::Duration wait) = 0;
  // Returns a descriptor that can be polled for reading when the batch that
  // TryNext() has asked for is there, for as long as this object lives.
  // RESOURCE_EXHAUSTED if the process has no more descriptors.
  virtual absl::StatusOr<int> ReadyDescriptor() = 0;
  // Makes a waiting Next(), and all later ones, fail with CANCELLED. Any thread
  // may call it.
  virtual void Cancel() = 0;

  // Returns how far the epoch has been consumed by optimizer steps of all
  // ranks, if each has consumed `batches` of its own since StartEpoch or
  // Resume.
  virtual Cursor CursorAfter(uint64_t batches) const = 0;
  virtual LoaderStats stats() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_LOADER_H_
