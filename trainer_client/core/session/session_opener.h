// Opens a session: learns the graph and the inputs from a fleet of servers.
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
#include "trainer_client/core/fleet/wait_notice.h"
#include "trainer_client/core/session/loader_session.h"
#include "trainer_client/core/session/session_builder.h"

namespace tributary {

// A session, and the graph that it is on.
struct OpenedSession {
  GraphSchema schema;
  LoaderSession session;
};

// Asks the first server that answers which graph it holds, and reads the splits
// of inputs page by page; continues with another server when one fails. Open
// and all events run on the strand; pending calls hold weak references to it.
class SessionOpener : public ServerEvents,
                      public std::enable_shared_from_this<SessionOpener> {
 public:
  SessionOpener(SessionOptions options, std::shared_ptr<Strand> strand,
                WaitObserver on_wait = nullptr);

  using Opened = absl::AnyInvocable<void(absl::StatusOr<OpenedSession>)>;
  // Starts the fleet and receives its events until `opened` is called, once and
  // within `timeout`. UNAVAILABLE: no server answered; NOT_FOUND: no such graph
  // or split; INVALID_ARGUMENT: the options do not fit the graph.
  void Open(std::shared_ptr<ServerFleet> fleet, absl::Duration timeout,
            Opened opened);

 private:
  absl::Status OnDescribed(ServerLink& link,
                           const ServerDescription& description) override;
  void OnServerUp(ServerLink& link) override;
  void OnServerDown(ServerLink& link, std::vector<OpenGrant> lost) override;
  void OnGrantEnd(ServerLink&, const OpenGrant&, GrantEnd) override {}

  // Continues with the first list that comes from a split and is not read yet.
  void ReadNextSplit();
  void AskForPage();
  void OnPage(uint64_t request, absl::StatusOr<InputPage> page);
  absl::Status TakePage(InputPage page);
  void AskLater();
  // Reports what the servers lack, now and each second until the end.
  void ReportWait(absl::Time since, absl::Duration timeout);
  void Finish(absl::Status status);

  SessionOptions options_;  // once a server is up without patterns
  const std::shared_ptr<Strand> strand_;
  std::shared_ptr<ServerFleet> fleet_;
  Opened opened_;
  TimerId deadline_ = 0;
  std::optional<AcceptedGraph> graph_;
  std::vector<InputSource> sources_;          // empty until a server is up
  std::vector<std::vector<int64_t>> splits_;  // what was read of each source
  size_t reading_ = 0;             // the source that is read; earlier ones are
  std::optional<uint64_t> total_;  // numbers of that source, once known
  uint64_t request_ = 0;           // numbers the page requests
  bool asking_ = false;
  absl::Status last_error_;
  WaitReporter wait_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_OPENER_H_
