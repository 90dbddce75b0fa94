// Decides what the answers and failures of servers mean for their batches.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_ANSWER_HANDLER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_ANSWER_HANDLER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/batch/batch_key.h"
#include "common/random/philox.h"
#include "trainer_client/core/fleet/batch_fleet.h"
#include "trainer_client/core/fleet/grant_end.h"
#include "trainer_client/core/fleet/open_grant.h"
#include "trainer_client/core/window/loader_state.h"

namespace tributary {

// The first batch that arrives counts, whoever made it; later ones are dropped.
// Other answers make the batch due again or, if no server can make it, fail it:
// whatever one server says, a batch that needs more than the whole ring
// included, is asked of each other one first (Refusals). A server that ends as
// it planned (PlannedEnd) is held against no batch.
// While another server works on the batch only a batch counts. A server that
// violates the protocol is disconnected.
//
// Pure policy: the caller passes the time. The caller lets BatchRequester
// request what has become due. Not thread-safe. `state` and `fleet` outlive it.
class AnswerHandler {
 public:
  AnswerHandler(uint64_t jitter_seed, LoaderState* state, BatchFleet* fleet)
      : state_(state),
        fleet_(fleet),
        jitter_({static_cast<uint32_t>(jitter_seed),
                 static_cast<uint32_t>(jitter_seed >> 32)},
                1) {}

  // `lost`: the grants that were open when the server went down.
  void OnServerDown(const BatchServer& server,
                    const std::vector<OpenGrant>& lost, absl::Time now);
  // May call back into OnServerDown, when it disconnects the server.
  void OnGrantEnd(BatchServer& server, const OpenGrant& grant, GrantEnd end,
                  absl::Time now);

 private:
  void OnFilled(BatchServer& server, PendingBatch& batch, GrantEnd end,
                absl::Time now);
  void OnNeeds(BatchServer& server, PendingBatch& batch, const OpenGrant& grant,
               uint64_t bytes, absl::Time now);
  void OnError(BatchServer& server, PendingBatch& batch, const GrantEnd& end,
               absl::Time now);
  // Takes `why` as the server's refusal: makes the batch due again at another
  // server, or fails it if the refusals are final. Each is asked once at most.
  void AskAnother(BatchServer& server, PendingBatch& batch, absl::Status why,
                  absl::Time now);
  // Makes the batch due again: at once while there are servers that have not
  // failed it, then after ever longer pauses.
  void Retry(PendingBatch& batch, const BatchServer& server, absl::Status why,
             absl::Time now);
  absl::Duration RetryDelay(int tries);
  // Fails the batch and cancels its other grants.
  void Fail(PendingBatch& batch, absl::Status error);
  BatchKey KeyOf(const PendingBatch& batch) const {
    return state_->epoch.KeyOf(batch.index());
  }

  LoaderState* const state_;
  BatchFleet* const fleet_;
  PhiloxStream jitter_;
  uint32_t jitter_draws_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_ANSWER_HANDLER_H_
