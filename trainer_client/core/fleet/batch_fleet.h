// The servers of a fleet, as the loader's policies use them.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_FLEET_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_FLEET_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/fleet/address.h"
#include "trainer_client/core/fleet/batch_ref.h"
#include "trainer_client/core/fleet/credit_request.h"
#include "trainer_client/core/fleet/death_record.h"

namespace tributary {

// The two interfaces part the policies (which batch to request of whom, what an
// answer means) from connections and time: ServerLink and ServerFleet implement
// them, and tests use fakes. All methods run on the loader's strand.

// One server.
class BatchServer {
 public:
  virtual ~BatchServer() = default;
  virtual const Address& address() const = 0;
  // Differs after each restart of the server.
  virtual uint64_t incarnation() const = 0;
  // The largest credit in bytes that the server can accept.
  virtual uint64_t largest_credit() const = 0;
  // Why it is down; OK while it is up.
  virtual const absl::Status& problem() const = 0;
  // Requires that BatchFleet::Choose has just returned this server.
  virtual void RequestBatch(CreditRequest request) = 0;
  // Sends no requests for that long.
  virtual void PauseRequests(absl::Duration how_long) = 0;
  // Closes its streams: all its grants are lost, as if it had died. Connects
  // again later.
  virtual void Disconnect(absl::Status why) = 0;
};

// All servers that may be asked.
class BatchFleet {
 public:
  virtual ~BatchFleet() = default;

  struct Choice {
    BatchRef batch;
    bool exclusive = false;  // only a server with no open grant
    // The server that failed last: chosen only if no other can take the batch.
    std::optional<Address> avoid;
    // Servers that have answered that they cannot make it: never chosen.
    std::vector<Address> refused_by;
  };
  // Returns the best server that can take the batch now and has no grant for
  // it; null if there is none.
  virtual BatchServer* Choose(const Choice& choice) const = 0;
  // Cancels the grants for the batch on all servers but `keep`, which may be
  // null.
  virtual void Cancel(const BatchRef& batch, const BatchServer* keep) = 0;
  virtual void CancelAll() = 0;
  // Returns whether a grant for the batch is open and not cancelled.
  virtual bool IsRequested(const BatchRef& batch) const = 0;
  // Cancelled ones included, until they are answered.
  virtual size_t num_open_grants() const = 0;
  virtual size_t num_up() const = 0;
  // Returns whether a server is up that is none of these.
  virtual bool AnyUpBeside(const std::vector<Address>& servers) const = 0;
  // Returns whether there is a server that is none of these and is up or may
  // come up: it is listed, and has given no final answer that it does not serve
  // this loader.
  virtual bool AnyMayComeBeside(const std::vector<Address>& servers) const = 0;
  // Counts how often servers are lost, since the beginning.
  virtual FleetLosses losses() const = 0;
  // Returns the batches of grants without a sign of life for too long;
  // disconnects servers that must be dead. Call it several times within
  // ServerLinkOptions::silence.
  virtual std::vector<BatchRef> FindSilent() = 0;
  // Returns the batches of grants that have been open for `age` or longer and
  // are not cancelled.
  virtual std::vector<BatchRef> FindLate(absl::Duration age) const = 0;
  virtual DeathRecord::Fate FateOf(const DeathRecord::Holder& holder) const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_FLEET_H_
