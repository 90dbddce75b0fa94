// A credit turned into a batch request, its every number checked.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_CREDIT_CHECK_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_CREDIT_CHECK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/proto/wire.pb.h"
#include "sampler_server/engine/batch_task.h"

namespace tributary {

// `payload` is the credit's; `room_bytes` is the size of the room that
// travelled with it, or none (0). INVALID_ARGUMENT, with the field and what is
// allowed.
absl::StatusOr<BatchRequest> MakeBatchRequest(
    const v1::Credit& credit, absl::Span<const uint8_t> payload,
    std::shared_ptr<const SamplingPlan> plan, size_t room_bytes,
    absl::Time now);

// What the request's inputs take, queued or running.
uint64_t InputBytes(const BatchRequest& request);

// What the task is to have reserved before it starts, of `budget`: TaskBytes(),
// or all that there is while that is enough for nearly any batch.
uint64_t ReservationFor(const GraphSchema& schema, const BatchRequest& request,
                        uint64_t budget);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_CREDIT_CHECK_H_
