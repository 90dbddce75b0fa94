// One leaf call to a partition's owners, repeated until one of them answers.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_OWNER_CALL_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_OWNER_CALL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "channel/call_client.h"
#include "common/runtime/executor.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/peers/peer_directory.h"

namespace tributary {

// The request and how its reply is taken. All callbacks run on `strand`; they
// and `payload_owner` are released when the call ends or is cancelled.
struct OwnerCallSpec {
  uint32_t partition = 0;
  MessageKind kind{};        // of the request
  MessageKind reply_kind{};  // a reply of another kind is malformed
  // Returns the request's header for an attempt that may take `timeout_ms`.
  std::function<std::string(uint64_t timeout_ms)> header;
  // Not changed until `payload_owner` is released.
  absl::Span<const uint8_t> payload;
  std::shared_ptr<const void> payload_owner;
  size_t max_reply_bytes = 0;  // of a reply's payload
  RemotePartitions::Limits limits;
  std::shared_ptr<Strand> strand;
  // Checks and takes the reply. An error, whatever its code, means that the
  // reply is malformed or holds values that are not possible: the attempt
  // failed, and another owner is asked.
  absl::AnyInvocable<absl::Status(CallReply)> accept;
  // Called once with the outcome, never inside StartOwnerCall; not called
  // after limits.cancel.
  absl::AnyInvocable<void(absl::Status)> done;
};

// Asks the healthy owners of spec.partition one after another, each once, and
// all of them again after a back-off, until one answers or shortly before
// spec.limits.deadline. Then `done` gets UNAVAILABLE with the partition, the
// owners tried and their errors. Whatever one owner answers, the others are
// asked before the call fails:
//
//   answer of an owner                    what follows
//   UNAVAILABLE, FAILED_PRECONDITION,     it is unreachable, or serves the
//   NOT_FOUND                             partition no longer: it is reported
//                                         to `directory` as failed
//   silence for a whole attempt           it is described at once and left
//                                         alone for a while; calls to it that
//                                         are under way go on
//   a malformed reply, impossible         it is left alone for a while, and
//   values, DATA_LOSS, ABORTED,           logged
//   INTERNAL, UNKNOWN,
//   PERMISSION_DENIED, UNAUTHENTICATED
//   INVALID_ARGUMENT, OUT_OF_RANGE        ends the call with this code once
//                                         all healthy owners say so; if one of
//                                         them answers well, the others are
//                                         left alone for a while
//   UNIMPLEMENTED                         nothing: an older server, as in a
//                                         rolling upgrade
//   any other error                       nothing: it concerns this call alone
//
// spec.limits.cancel cancels the pending attempt at its peer. Runs on
// spec.strand; returns before anything is sent.
void StartOwnerCall(std::shared_ptr<PeerDirectory> directory,
                    OwnerCallSpec spec);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_OWNER_CALL_H_
