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
  // Takes the reply. An error, whatever its code, means that the reply was
  // malformed: the attempt failed, and another owner is asked.
  absl::AnyInvocable<absl::Status(CallReply)> accept;
  // Called once with the outcome, never inside StartOwnerCall; not called
  // after limits.cancel.
  absl::AnyInvocable<void(absl::Status)> done;
};

// Asks the healthy owners of spec.partition one after another, each once, and
// all of them again after a back-off, until one answers or shortly before
// spec.limits.deadline. Then `done` gets UNAVAILABLE with the partition, the
// owners tried and their errors. INVALID_ARGUMENT, OUT_OF_RANGE and
// UNIMPLEMENTED from an owner end the call at once, since no other owner would
// answer otherwise. An owner that is unreachable, silent for a whole attempt or
// no longer serves the partition is reported to `directory` as failed.
//
// spec.limits.cancel cancels the pending attempt at its peer. Runs on
// spec.strand; returns before anything is sent.
void StartOwnerCall(std::shared_ptr<PeerDirectory> directory,
                    OwnerCallSpec spec);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_OWNER_CALL_H_
