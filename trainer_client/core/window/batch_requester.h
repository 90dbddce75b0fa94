// Decides which batch to request of which server, and when.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_REQUESTER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_REQUESTER_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "trainer_client/core/fleet/batch_fleet.h"
#include "trainer_client/core/held/held_rows.h"
#include "trainer_client/core/window/loader_state.h"

namespace tributary {

struct BatchRequesterOptions {
  size_t window_size = 1;  // batches
  // A batch that was requested so long ago is requested elsewhere too, once.
  absl::Duration hedge_after = absl::InfiniteDuration();
  bool compact = true;  // edges may come compact
};

// Fills the window from the epoch and requests its batches in ascending order:
// a higher index never takes the room that a lower one needs. A batch that has
// killed several servers is given up (DeathRecord). Pure policy: the caller
// passes the time, the fleet sends. Not thread-safe. `state` and `fleet`
// outlive it.
class BatchRequester {
 public:
  BatchRequester(BatchRequesterOptions options, LoaderState* state,
                 BatchFleet* fleet)
      : options_(options), state_(state), fleet_(fleet) {}

  // Credits name these rows from now on, as many as are held then.
  void Hold(std::shared_ptr<HeldRows> rows) { held_ = std::move(rows); }
  // Forgets the previous epoch.
  void Reset() { front_lacks_room_ = false; }
  // Adds batches of the epoch up to the size of the window. Requires an epoch.
  void FillWindow();
  // Requests what is due, as far as there are servers and room. Requires an
  // epoch.
  void RequestDue(absl::Time now);
  // Whether the latest RequestDue found no room for the front of the window.
  bool front_lacks_room() const { return front_lacks_room_; }

  // Makes the batches of silent servers due again, though these may still
  // answer.
  void PassOverSilent();
  // Makes late batches due again, once each, if there is a second server: a
  // server may be stuck and not know it, but a slow fleet must not be made
  // slower.
  void HedgeLate();

 private:
  // Returns false if there is no room for it.
  bool Request(PendingBatch& batch, absl::Time now);
  bool RequestBeside(std::vector<Address> excluded, bool exclusive,
                     PendingBatch& batch, absl::Time now);
  // Adds the server that alone has died under the batch to `excluded`. Returns
  // false if another one has died, too, or none may come.
  bool LeaveOutTheOneThatDies(const PendingBatch& batch,
                              std::vector<Address>& excluded) const;
  void Send(PendingBatch& batch, BatchServer& server,
            std::shared_ptr<ReceiveSlot> slot, absl::Time now);
  void GiveUp(PendingBatch& batch);
  // Fails it with what the servers say that cannot make it.
  void FailRefused(PendingBatch& batch);
  // Cancels the grants of late batches that wait to be requested elsewhere.
  void CancelLate();
  // Returns the batch if it waits for its server; null otherwise.
  PendingBatch* FindRequested(const BatchRef& batch);

  const BatchRequesterOptions options_;
  LoaderState* const state_;
  BatchFleet* const fleet_;
  std::shared_ptr<HeldRows> held_;
  bool front_lacks_room_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_REQUESTER_H_
