// The calls that a loader makes before it asks for batches.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_CONTROL_CALLS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_CONTROL_CALLS_H_

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

// What a server says of itself.
struct ServerDescription {
  std::string graph_json;
  std::vector<uint32_t> partitions;  // that it owns
  uint64_t incarnation = 0;          // differs at each start
  bool draining = false;
  uint64_t budget_bytes = 0;  // the most it can make at once; 0: not said

  // A server reserves twice a credit: working memory and room. Larger credits
  // it refuses for good.
  uint64_t LargestCredit() const {
    return budget_bytes == 0 ? UINT64_MAX : budget_bytes / 2 & ~uint64_t{63};
  }
};

struct InputPage {
  // Original ids; of a split of edges source, destination and edge id (-1:
  // none) for each.
  uint64_t total = 0;  // numbers of the whole split
  std::vector<int64_t> ids;
};

// Of an answer: another time would bring the same.
inline bool IsFinal(const absl::Status& status) {
  return absl::IsNotFound(status) || absl::IsInvalidArgument(status);
}

// Of several graphs on a server, the one that is meant.
struct GraphChoice {
  GraphName name;
  std::optional<Sha256Digest> content;  // once it is known: exactly that one
};

// One connection for calls; replies come on the strand. Its end is CANCELLED to
// those that are still to come.
class ControlCalls {
 public:
  ControlCalls(Transport* transport, const Address& address,
               std::shared_ptr<Strand> strand);
  ~ControlCalls();

  using Described = absl::AnyInvocable<void(absl::StatusOr<ServerDescription>)>;
  // FAILED_PRECONDITION when it speaks another wire version; NOT_FOUND or
  // INVALID_ARGUMENT, with those it has, when it does not hold the graph or
  // cannot tell which of several is meant.
  void Describe(const GraphChoice& graph, absl::Duration timeout,
                Described done);

  using GotPage = absl::AnyInvocable<void(absl::StatusOr<InputPage>)>;
  struct PageRequest {
    std::string node_type;
    std::string edge_type;  // instead: a split of edges
    std::string split;
    uint64_t offset = 0;
    Sha256Digest content_digest{};
  };
  void GetInputIds(const PageRequest& request, absl::Duration timeout,
                   GotPage done);

 private:
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<CallClient> client_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_CONTROL_CALLS_H_
