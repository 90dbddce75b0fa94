// Completes a reply by the rows that it lacks, from files.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_UNREAD_ROWS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_UNREAD_ROWS_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "sampler_server/engine/gather/row_reader.h"
#include "sampler_server/service/leaf/leaf_calls.h"

namespace tributary {

// The inputs for reading a reply's rows.
struct UnreadRowsContext {
  // Reads the files; null: there is no reader, which is an error.
  std::shared_ptr<RowReader> reader;
  std::shared_ptr<const void> graph;  // keeps the files open
  Executor* executor = nullptr;       // outlives the read
  absl::Time arrived;                 // of the request, by that executor
  CancelToken cancel;
};

// Reads `reply.unread`, column after column, and calls `done` once with the
// complete reply, or with the error of RowReader::Read. Calls it inside this
// call if nothing is unread, else on a strand of the executor. Waits for a disk
// at most 10 minutes, whatever the request's timeout.
void ReadUnreadRows(UnreadRowsContext context, LeafReply reply,
                    absl::AnyInvocable<void(absl::StatusOr<LeafReply>)> done);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_UNREAD_ROWS_H_
