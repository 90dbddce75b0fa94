// Turns a credit into a batch request, and checks every number in it.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_CREDIT_CHECK_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_CREDIT_CHECK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/proto/wire.pb.h"
#include "partition/format/hot_list.h"
#include "sampler_server/engine/batch_task.h"

namespace tributary {

// Returns the request for the batch that `credit` asks for. `payload` travels
// beside the credit's header; `room_bytes` is the size of the slot that was
// lent with it, 0 if none was; the request's deadline is `now` plus the
// credit's timeout. INVALID_ARGUMENT, with the field and what is allowed.
absl::StatusOr<BatchRequest> MakeBatchRequest(
    const v1::Credit& credit, absl::Span<const uint8_t> payload,
    std::shared_ptr<const SamplingPlan> plan, size_t room_bytes,
    absl::Time now);

// Returns the rows that the credit's trainer holds; null if it names none, or a
// list that is not among `lists`. `types`: the graph's number of node types.
// INVALID_ARGUMENT, likewise.
absl::StatusOr<std::shared_ptr<const TrainerRows>> TrainerRowsOf(
    const v1::Credit& credit, const HotLists& lists, size_t types);

// Returns the bytes that the request's inputs take, queued or running.
uint64_t InputBytes(const BatchRequest& request);

// Returns the bytes of `budget` to reserve before the task starts: TaskBytes(),
// but at most the whole budget as long as that is twice the credit's max_bytes,
// which is enough for nearly any batch.
uint64_t ReservationFor(const GraphSchema& schema, const BatchRequest& request,
                        uint64_t budget);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_CREDIT_CHECK_H_
