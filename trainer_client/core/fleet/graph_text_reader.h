// Reads the text of a graph.json that is too long for one message.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_GRAPH_TEXT_READER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_GRAPH_TEXT_READER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/call_client.h"
#include "common/hash/sha256.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/executor.h"

namespace tributary {

// Where pages come from.
struct GraphTextSource {
  std::weak_ptr<CallClient> client;  // of a control stream
  std::shared_ptr<Strand> strand;
  absl::Duration timeout;  // of each call
};

// Which text, as a server described it.
struct GraphTextId {
  Sha256Digest layout{};
  uint64_t bytes = 0;
  Sha256Digest sha256{};
};

// Returns the call that asks for the page at `offset`, and checks its reply: a
// page of this text. INTERNAL: of another one, or no page.
CallRequest GraphPageCall(const GraphTextId& text, uint64_t offset);
absl::Status CheckGraphPage(const GraphTextId& text, const CallReply& reply);

// Reads all pages, one at a time, on the strand, and calls `done` once. A page
// that the server refuses because it is asked too much is asked for again, a
// bounded number of times. CANCELLED once the client is gone; DATA_LOSS for a
// text of another length or digest; other errors are the calls'.
void ReadGraphText(GraphTextSource source, const GraphTextId& text,
                   absl::AnyInvocable<void(absl::StatusOr<std::string>)> done);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_GRAPH_TEXT_READER_H_
