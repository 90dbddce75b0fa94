// Iterates over mini-batches of sampled neighbourhoods that servers make: the
// counterpart of PyG's NeighborLoader and GLT's DistNeighborLoader.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_NEIGHBOR_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_NEIGHBOR_LOADER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "channel/slot_ring.h"
#include "channel/transport.h"
#include "common/runtime/executor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/core/options.h"
#include "trainer_client/core/session/cursor.h"
#include "trainer_client/core/session/loader_options.h"
#include "trainer_client/core/window/loader_stats.h"

namespace tributary {

// What the loader runs on; all outlive it.
struct LoaderEnvironment {
  Executor* executor = nullptr;
  Transport* transport = nullptr;
  // The memory that batches are received into, where servers write into it
  // themselves; empty: the loader's own.
  std::function<absl::StatusOr<std::shared_ptr<SlotRing>>(uint64_t bytes)>
      make_ring;
  // What users of it call the ring's size, for errors.
  std::string ring_option = "buffer_size";
  // Told of the graph by Create, before it returns.
  std::function<void(const GraphSchema&)> opened = [](const GraphSchema&) {};
};

// Batches of a typed graph are read by type with ToHeteroBatch. One user thread
// calls; the loader's own work runs on the executor. Batches come in ascending
// index. Every wait ends within rpc_timeout.
class DistNeighborLoader {
 public:
  // Asks a server what graph it holds and for the inputs. Errors: what
  // Validate says; UNAVAILABLE when no server answers; NOT_FOUND for a split.
  static absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Create(
      const NeighborLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
  virtual ~DistNeighborLoader() = default;

  virtual const GraphSchema& schema() const = 0;
  virtual uint64_t num_inputs() const = 0;
  // Of one epoch from its start, over all ranks.
  virtual uint64_t num_batches() const = 0;
  // Inputs of batch `index` of the current epoch (0 past its end): what DDP
  // needs to weigh an uneven round, without talking to other ranks.
  virtual uint64_t inputs_in_batch(uint64_t index) const = 0;

  // Starts an epoch at its beginning, or goes on from a cursor. What was
  // prefetched for another is dropped.
  virtual absl::Status StartEpoch(uint64_t epoch) = 0;
  virtual absl::Status Resume(const Cursor& cursor) = 0;
  // Only batches [from, to) of the current epoch; right after StartEpoch.
  virtual absl::Status Limit(uint64_t from, uint64_t to) = 0;

  // The next batch of this rank; none at the end of the epoch. An error in a
  // batch's place names batch, server and cause; the call after it goes on
  // with the next batch. FAILED_PRECONDITION when the caller's own leases fill
  // the ring (their count is named).
  virtual absl::StatusOr<std::optional<BatchLease>> Next() = 0;
  // Makes a Next() that waits, and all later ones, fail with CANCELLED.
  // From any thread.
  virtual void Cancel() = 0;

  // How far the epoch has been consumed by optimizer steps of all ranks, if
  // each has consumed `batches` of its own since StartEpoch or Resume.
  virtual Cursor CursorAfter(uint64_t batches) const = 0;
  virtual LoaderStats stats() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_NEIGHBOR_LOADER_H_
