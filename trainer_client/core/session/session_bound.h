// How large a session's batches can get at most, whatever its kind.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_BOUND_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_BOUND_H_

#include <cstdint>

#include "partition/schema/schema.h"

namespace tributary {

namespace v1 {
class SessionSpec;
}

// Bytes of the room, which a credit need not exceed. Requires a specification
// that was built for the graph.
uint64_t BatchBytesBoundOf(const GraphSchema& schema,
                           const v1::SessionSpec& spec);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_BOUND_H_
