// Decides which graph a loader is on, from what its servers say.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_GRAPH_VOTES_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_GRAPH_VOTES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/fleet/address.h"
#include "common/hash/sha256.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/fleet/control_calls.h"

namespace tributary {

// Each server names one content, the newest that has the loader's name for it,
// and may hold others. One server alone does not decide while another one
// contradicts it. Pure state; not thread-safe.
class GraphVotes {
 public:
  // Takes what a server says now, instead of what it said before.
  void Set(const Address& server, const ServerDescription& description);
  void Erase(const Address& server) { votes_.erase(server); }

  // Returns the content that is chosen, or none: more servers are to be heard.
  // `all_heard`: none can be. The content that most servers name is chosen once
  // two do or all are heard; of equal ones that which more servers hold, and
  // then that of the first server. FAILED_PRECONDITION, with their names: each
  // server names another one, and none of these is on a second server.
  absl::StatusOr<std::optional<Sha256Digest>> Choose(bool all_heard) const;

 private:
  struct Vote {
    std::string name;
    Sha256Digest content{};
    std::vector<Sha256Digest> holds;
  };
  // How many servers name a content, and how many hold it.
  struct Count {
    int named = 0;
    int held = 0;
  };
  std::map<Sha256Digest, Count> CountAll() const;
  absl::Status Undecided() const;

  std::map<Address, Vote> votes_;
};

// Returns the text of the schema without what may differ between two
// partitionings of the same content, or two runs that made the same one.
std::string ContentText(GraphSchema schema);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_GRAPH_VOTES_H_
