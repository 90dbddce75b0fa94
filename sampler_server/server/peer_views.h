// The peers of a server, joined over its graphs.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_PEER_VIEWS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_PEER_VIEWS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/status/fleet_status.h"
#include "partition/schema/schema.h"
#include "sampler_server/peers/peer_directory.h"
#include "sampler_server/peers/peer_statuses.h"

namespace tributary {

// Each graph has a directory of its own, in which a server that holds other
// graphs is unhealthy. A peer answers if it does for one graph, or says that it
// has not the graph: then it is no trouble of that server.
class PeerViews {
 public:
  // Without `graphs` Take is not called, and what peers own is not kept.
  explicit PeerViews(bool graphs = true) : graphs_(graphs) {}

  void Add(const GraphSchema& schema, const std::vector<PeerView>& peers);
  // Returns the peers by address, with what they told of themselves.
  std::vector<ServerView> Take(const PeerStatuses& statuses, absl::Time now);
  // Returns the addresses of those that do not answer.
  std::vector<std::string> Silent() const;

 private:
  bool graphs_;
  std::map<std::string, ServerView> views_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_PEER_VIEWS_H_
