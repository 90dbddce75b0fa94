// Learns the graph of a fleet of servers.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_GRAPH_OPENER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_GRAPH_OPENER_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/runtime/executor.h"
#include "trainer_client/core/fleet/server_fleet.h"
#include "trainer_client/core/session/accepted_graph.h"
#include "trainer_client/core/session/graph_votes.h"

namespace tributary {

// Hears which graph each server has (GraphVotes), pins the fleet to the one
// that is chosen, and reads the text of its graph.json from one server. The
// text is believed if a second server has the same, or one of the same content,
// or if no second server can be asked. From then on servers of that content
// alone are accepted.
//
// All methods and events run on the strand; pending calls hold weak references
// to it.
class GraphOpener : public ServerEvents,
                    public std::enable_shared_from_this<GraphOpener> {
 public:
  using Graph = std::shared_ptr<const AcceptedGraph>;
  using Opened = absl::AnyInvocable<void(absl::StatusOr<Graph>)>;

  GraphOpener(std::shared_ptr<ServerFleet> fleet,
              std::shared_ptr<Strand> strand);

  // Starts the fleet and receives its events. `opened` is called once, but only
  // if a server answers: the caller keeps the deadline, after `timeout`. A
  // server that does not send its text within a quarter of that is passed over.
  // NOT_FOUND,
  // PERMISSION_DENIED: of all servers; FAILED_PRECONDITION: they contradict
  // each other, two by two.
  void Open(absl::Duration timeout, Opened opened);
  // The latest error of a server whose text was asked for; OK: none.
  const absl::Status& trouble() const { return trouble_; }

  // ServerEvents
  absl::Status OnDescribed(ServerLink& link,
                           const ServerDescription& description) override;
  void OnServerUp(ServerLink& link) override;
  void OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) override;
  void OnGrantEnd(ServerLink&, const OpenGrant&, GrantEnd) override {}

 private:
  // A text that was read, and who sent it.
  struct Read {
    Address server;
    Graph graph;
    Sha256Digest text;
  };

  // Goes on as far as what is known allows.
  void Advance();
  absl::Status ChooseContent();
  void DropOthers();
  absl::Status AnotherGraph(const ServerDescription& description) const;
  // Asks the next server for its text, or decides among those that were read.
  void ReadTexts();
  void AskForText(ServerLink& link);
  void OnText(const Address& server, absl::StatusOr<ServerDescription> told);
  // Returns how many servers that are up vouch for the text.
  int VoicesFor(const Read& read) const;
  // Returns a server with the content that was not asked for its text; null if
  // there is none.
  ServerLink* NextToAsk() const;
  void Answer(absl::StatusOr<Graph> result);

  const std::shared_ptr<ServerFleet> fleet_;
  const std::shared_ptr<Strand> strand_;
  Opened opened_;
  absl::Duration text_patience_;
  GraphVotes votes_;
  std::optional<Sha256Digest> content_;
  std::set<Address> asked_;  // for their texts
  int asking_ = 0;           // of which so many are on their way, and not late
  std::vector<Read> read_;
  Graph graph_;
  absl::Status trouble_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_GRAPH_OPENER_H_
