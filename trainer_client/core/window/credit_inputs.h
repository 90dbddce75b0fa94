// Takes the inputs of a batch from a session.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_CREDIT_INPUTS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_CREDIT_INPUTS_H_

#include <cstdint>

#include "trainer_client/core/fleet/credit_request.h"
#include "trainer_client/core/session/epoch_order.h"
#include "trainer_client/core/session/loader_session.h"

namespace tributary {

// Returns what a credit for batch `index` of the epoch carries. Links come list
// by list. Requires order.begin_index() <= index < order.end_index().
CreditInputs MakeCreditInputs(const LoaderSession& session,
                              const EpochOrder& order, uint64_t index);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_CREDIT_INPUTS_H_
