// The calls that a loader makes before it requests batches.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_CONTROL_CALLS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_CONTROL_CALLS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/transport.h"
#include "common/fleet/graph_name.h"
#include "common/hash/sha256.h"
#include "common/runtime/executor.h"

namespace tributary {

class CallClient;

// A server as another one sees it.
struct DescribedPeer {
  std::string address;
  std::vector<uint32_t> partitions;
};

// An order of the graph's rows that a server knows.
struct DescribedHotList {
  std::string name;
  Sha256Digest digest{};
  uint64_t json_bytes = 0;  // of its list.json
};

// How a server describes itself.
struct ServerDescription {
  std::string graph_name;
  Sha256Digest content_digest{};
  Sha256Digest layout_digest{};
  std::string graph_json;      // empty if it was not asked for
  Sha256Digest text_digest{};  // of graph.json's text; zeros: unknown
  // Of all graphs of the server that have this graph's name.
  std::vector<Sha256Digest> contents;
  std::vector<uint32_t> partitions;  // the ones it owns
  uint64_t incarnation = 0;          // differs at each start
  bool draining = false;
  uint64_t budget_bytes = 0;  // for all batches being made; 0: unknown
  bool takes_wait_reports = false;
  bool takes_tcp = false;
  std::vector<DescribedPeer> peers;  // healthy ones
  std::vector<DescribedHotList> hot_lists;

  bool HasHotList(const Sha256Digest& digest) const {
    return std::any_of(
        hot_lists.begin(), hot_lists.end(),
        [&](const DescribedHotList& list) { return list.digest == digest; });
  }
  // Returns the largest credit in bytes that the server can accept; it refuses
  // larger ones for good. A server reserves twice a credit: working memory and
  // room.
  uint64_t LargestCredit() const {
    return budget_bytes == 0 ? UINT64_MAX : budget_bytes / 2 & ~uint64_t{63};
  }
};

// A part of a split.
struct InputPage {
  uint64_t total = 0;  // values in the whole split
  // Original ids of nodes; for a split of edges three values for each edge:
  // source, destination, edge id (-1: none).
  std::vector<int64_t> ids;
};

// Whether a server refuses this client for who it is. Another server may still
// take it, one whose policy or certificates are newer.
inline bool IsDenial(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsUnauthenticated(status);
}

// Whether a server refuses this client, or what it asks for. Another server,
// of another version or policy, may still take it.
inline bool RefusesForGood(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || IsDenial(status);
}

// Whether repeating the call would bring the same answer.
inline bool IsFinal(const absl::Status& status) {
  return absl::IsNotFound(status) || RefusesForGood(status);
}

// Chooses one of the graphs on a server.
struct GraphChoice {
  GraphName name;
  std::optional<Sha256Digest> content;  // once it is known: exactly this one
  // Whether the text of graph.json is wanted; otherwise the digests are enough.
  bool text = true;
};

// A connection to one server for calls beside the batch streams. Callbacks run
// on the strand; destroying the object answers the calls that are still open
// with CANCELLED. Errors are the server's or the network's; INTERNAL and
// INVALID_ARGUMENT also mean a malformed reply. Not thread-safe. `transport`
// outlives it.
class ControlCalls {
 public:
  ControlCalls(Transport* transport, const Address& address,
               std::shared_ptr<Strand> strand);
  ~ControlCalls();

  using Described = absl::AnyInvocable<void(absl::StatusOr<ServerDescription>)>;
  // Asks the server to describe itself and the graph; `timeout` is for each of
  // the calls that a long graph.json takes. FAILED_PRECONDITION: it
  // speaks a wire version that this trainer does not. NOT_FOUND or
  // INVALID_ARGUMENT, with the graphs that it has: it does not have this graph,
  // or the name fits several.
  void Describe(const GraphChoice& graph, absl::Duration timeout,
                Described done);

  using GotPage = absl::AnyInvocable<void(absl::StatusOr<InputPage>)>;
  struct PageRequest {
    std::string node_type;
    std::string edge_type;  // instead of node_type, for a split of edges
    std::string split;
    uint64_t offset = 0;  // in values; see InputPage
    Sha256Digest content_digest{};
  };
  // Reads a part of a split, as many values as one reply may hold.
  void GetInputIds(const PageRequest& request, absl::Duration timeout,
                   GotPage done);

 private:
  const std::shared_ptr<Strand> strand_;
  // Shared with nobody: pages of graph.json refer to it weakly.
  const std::shared_ptr<CallClient> client_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_CONTROL_CALLS_H_
