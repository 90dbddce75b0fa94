// One leaf call to whoever owns a partition, tried until someone answers.
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

struct OwnerCallSpec {
  uint32_t partition = 0;
  MessageKind kind{};
  // The header of an attempt, which has so long.
  std::function<std::string(uint64_t timeout_ms)> header;
  absl::Span<const uint8_t> payload;
  std::shared_ptr<const void> payload_owner;
  size_t max_reply_bytes = 0;
  RemotePartitions::Limits limits;
  std::shared_ptr<Strand> strand;
  // Takes the reply in; an error means that it was malformed, and is an
  // attempt that failed.
  absl::AnyInvocable<absl::Status(CallReply)> accept;
  // Once, on the strand, never inside StartOwnerCall; not after a cancel.
  absl::AnyInvocable<void(absl::Status)> done;
};

// Tries each live owner once, then again after a back-off, until the deadline:
// UNAVAILABLE, with partition, owners tried and their errors. What no other
// owner would answer otherwise (INVALID_ARGUMENT, OUT_OF_RANGE) ends it at
// once. Both functions run on spec.strand.
void StartOwnerCall(std::shared_ptr<PeerDirectory> directory,
                    OwnerCallSpec spec);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_OWNER_CALL_H_
