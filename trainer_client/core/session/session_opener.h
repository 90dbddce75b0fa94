// Opens a session: learns the graph and the inputs from a fleet of servers.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_OPENER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_OPENER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/fleet/server_fleet.h"
#include "trainer_client/core/fleet/wait_notice.h"
#include "trainer_client/core/session/graph_opener.h"
#include "trainer_client/core/session/loader_session.h"
#include "trainer_client/core/session/session_builder.h"
#include "trainer_client/core/session/split_reader.h"

namespace tributary {

// A session, and the graph that it is on.
struct OpenedSession {
  GraphSchema schema;
  LoaderSession session;
};

// Learns which graph the servers have (GraphOpener), and reads the splits of
// inputs that the options name (SplitReader). Open runs on the strand; pending
// calls hold weak references to it.
class SessionOpener : public std::enable_shared_from_this<SessionOpener> {
 public:
  SessionOpener(SessionOptions options, std::shared_ptr<Strand> strand,
                WaitObserver on_wait = nullptr);

  using Opened = absl::AnyInvocable<void(absl::StatusOr<OpenedSession>)>;
  // Starts the fleet and receives its events until `opened` is called, once and
  // within `timeout`. UNAVAILABLE: no server answered; NOT_FOUND: no such graph
  // or split; INVALID_ARGUMENT: the options do not fit the graph. Others:
  // GraphOpener's and SplitReader's.
  void Open(std::shared_ptr<ServerFleet> fleet, absl::Duration timeout,
            Opened opened);

 private:
  void OnGraph(absl::StatusOr<GraphOpener::Graph> graph);
  // Continues with the first list that comes from a split and is not read yet.
  void ReadNextSplit();
  void OnSplit(absl::StatusOr<std::vector<int64_t>> values);
  // Returns the error of a session that is not open after `timeout`.
  absl::Status Late(absl::Duration timeout) const;
  // Reports what the servers lack, now and each second until the end.
  void ReportWait(absl::Time since, absl::Duration timeout);
  void Finish(absl::Status status);

  SessionOptions options_;  // once the graph is known without patterns
  const std::shared_ptr<Strand> strand_;
  std::shared_ptr<ServerFleet> fleet_;
  Opened opened_;
  TimerId deadline_ = 0;
  absl::Duration timeout_;
  std::shared_ptr<GraphOpener> graph_opener_;
  GraphOpener::Graph graph_;
  std::vector<InputSource> sources_;
  std::vector<std::vector<int64_t>> splits_;  // what was read of each source
  size_t reading_ = 0;  // the source that is read; earlier ones are
  std::shared_ptr<SplitReader> reader_;
  WaitReporter wait_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_OPENER_H_
