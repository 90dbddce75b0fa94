// The state that the parts of a loader share.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_LOADER_STATE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_LOADER_STATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "trainer_client/core/session/loader_session.h"
#include "trainer_client/core/window/batch_rooms.h"
#include "trainer_client/core/window/batch_window.h"
#include "trainer_client/core/window/loader_epoch.h"
#include "trainer_client/core/window/loader_stats.h"

namespace tributary {

// The state that BatchRequester and AnswerHandler change and LoaderCore
// delivers from. Not thread-safe; neither copied nor moved, since `epoch`
// refers to `session`.
struct LoaderState {
  LoaderState(LoaderSession s, BatchRooms r)
      : session(std::move(s)), rooms(std::move(r)) {}
  LoaderState(const LoaderState&) = delete;
  LoaderState& operator=(const LoaderState&) = delete;

  // Returns the id under which the batch is traced; empty if none is.
  std::string TraceIdOf(uint64_t index) const;

  // Returns the batch in the window that an answer is for, null if it is not
  // there or the answer is of an earlier epoch.
  PendingBatch* Find(const BatchRef& batch) {
    return epoch.IsCurrent(batch) ? window.Find(batch.index) : nullptr;
  }

  const LoaderSession session;
  LoaderEpoch epoch{&session};
  BatchWindow window;
  BatchRooms rooms;
  LoaderStats stats;
  // Batches are traced; ids of loaders with different seeds differ.
  std::optional<uint64_t> trace_seed;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_LOADER_STATE_H_
