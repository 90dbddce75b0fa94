// From a fleet and a user's options to a session that a loader can run.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_OPENER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_OPENER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/fleet/server_fleet.h"
#include "trainer_client/core/session/loader_session.h"
#include "trainer_client/core/session/neighbor_session.h"

namespace tributary {

struct OpenedSession {
  GraphSchema schema;
  LoaderSession session;
};

// Asks the first server that answers what graph it holds, and for the inputs by
// pages; goes on elsewhere when one fails. All on the strand.
class SessionOpener : public ServerEvents,
                      public std::enable_shared_from_this<SessionOpener> {
 public:
  SessionOpener(NeighborLoaderOptions options, std::shared_ptr<Strand> strand);

  using Opened = absl::AnyInvocable<void(absl::StatusOr<OpenedSession>)>;
  // Starts the fleet; becomes the one it tells until `opened` is called, once,
  // within `timeout`. UNAVAILABLE: no server answered; NOT_FOUND: no such
  // split; INVALID_ARGUMENT: the options do not fit the graph.
  void Open(std::shared_ptr<ServerFleet> fleet, absl::Duration timeout,
            Opened opened);

 private:
  absl::Status OnDescribed(ServerLink& link,
                           const ServerDescription& description) override;
  void OnServerUp(ServerLink& link) override;
  void OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) override;
  void OnGrantEnd(ServerLink&, const OpenGrant&, GrantEnd) override {}

  // Of list `list_` of the inputs; empty: that is in the options.
  const std::string& Split() const;
  size_t NumLists() const;
  void ReadLists();
  absl::Status TakeNodes();
  void AskForPage();
  void OnPage(uint64_t request, absl::StatusOr<InputPage> page);
  absl::Status TakePage(InputPage page);
  void AskLater();
  absl::StatusOr<LoaderSession> MakeSession(
      const std::shared_ptr<const AcceptedGraph>& graph);
  void Finish(absl::Status status);

  const NeighborLoaderOptions options_;
  const std::shared_ptr<Strand> strand_;
  std::shared_ptr<ServerFleet> fleet_;
  Opened opened_;
  TimerId deadline_ = 0;
  std::optional<AcceptedGraph> graph_;
  std::vector<std::string> input_types_;  // of nodes or, of links, each list's
  // By list, of those that are splits; of edges three numbers each.
  std::vector<std::vector<int64_t>> ids_;
  size_t list_ = 0;  // that is being read; those before it are
  std::optional<uint64_t> total_;
  uint64_t request_ = 0;  // numbers the page requests
  bool asking_ = false;
  absl::Status trouble_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_OPENER_H_
